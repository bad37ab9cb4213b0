"""Names of the methods of Ruby's core classes, by what they do with values."""

from __future__ import annotations

from typing import Final

SEND: Final = frozenset(["send", "public_send", "__send__", "try", "try!", "instance_exec_send"])
SELF: Final = frozenset(["freeze", "dup", "clone", "itself", "tap", "to_proc", "lazy"])
_OBJECT_NAMES: Final = """
class inspect to_s to_str to_a to_ary to_h hash nil? is_a? kind_of? instance_of? respond_to?
respond_to_missing? object_id frozen? equal? eql? == != === =~ ! instance_variable_get
instance_variable_set instance_variables methods puts print p raise require lambda proc loop
format sprintf rand sleep catch throw name to_sym to_i to_f initialize inherited included
extended prepended method_added const_missing new allocate superclass ancestors
"""
OBJECT: Final = frozenset(_OBJECT_NAMES.split())
_ANY_OBJECT_NAMES: Final = """
clone define_singleton_method display dup enum_for extend freeze instance_eval instance_exec
instance_variable_defined? itself method private_methods protected_methods public_method
public_methods public_send remove_instance_variable send singleton_class singleton_method
singleton_methods tap then to_enum yield_self __id__ __send__ <=> !~
"""
ANY_OBJECT: Final = OBJECT | frozenset(_ANY_OBJECT_NAMES.split())
"""What any object answers, so that it is missing in none."""
_KERNEL_NAMES: Final = """
Array Complex Float Hash Integer Rational String abort at_exit autoload autoload? binding caller
caller_locations eval exec exit exit! fail fork gem gets global_variables load local_variables open
pp printf putc readline readlines require_relative select set_trace_func spawn srand syscall system
test trace_var trap untrace_var warn
"""
KERNEL: Final = frozenset(_KERNEL_NAMES.split())
"""What any object answers privately, beside the ones above."""
_ELEMENT_NAMES: Final = """
first last pop shift deq sample fetch dig find detect max_by min_by max min [] at delete delete_at
next peek bsearch
"""
ELEMENT: Final = frozenset(_ELEMENT_NAMES.split())
_SAME_NAMES: Final = """
each select filter reject sort sort_by reverse uniq compact take drop take_while
drop_while each_with_index map! collect! to_a to_h to_set dup freeze concat
+ - | & * merge merge! except shuffle rotate reverse_each each_pair
lazy with_index each_entry clone delete_if keep_if compare_by_identity sort! sort_by! reverse!
uniq! compact! flatten! select! filter! reject! replace each_index cycle
transpose find_all grep grep_v minmax minmax_by eager difference intersection
"""
SAME: Final = frozenset(_SAME_NAMES.split())
_MAPPED_NAMES: Final = """
map collect flat_map filter_map transform_values collect_concat
"""
MAPPED: Final = frozenset(_MAPPED_NAMES.split())
SPLICED: Final = frozenset(("flat_map", "collect_concat"))
"""What has the elements of the arrays that its block returns."""
SEVERAL: Final = frozenset(
    ("first", "last", "pop", "shift", "sample", "max_by", "min_by", "max", "min")
)
"""What returns an array where it is told how many."""
ROWS: Final = frozenset(
    (
        "each_slice",
        "each_cons",
        "partition",
        "slice_when",
        "slice_before",
        "slice_after",
        "chunk_while",
        "chunk",
        "zip",
        "product",
        "combination",
        "permutation",
        "repeated_combination",
        "repeated_permutation",
    )
)
NEIGHBOURS: Final = frozenset(("slice_when", "chunk_while"))
"""What gives a block an element and the next one."""
YIELDED_ROWS: Final = ROWS - NEIGHBOURS - {"partition", "slice_before", "slice_after", "chunk"}
"""What gives a block the rows; the others ask it where one ends."""
MATCHING: Final = frozenset(
    ("all?", "any?", "none?", "one?", "grep", "grep_v", "slice_before", "slice_after")
)
"""What asks a pattern whether it matches an element."""
INDEXED: Final = frozenset(("each_with_index", "with_index", "each_index", "inject", "reduce"))
"""What gives its block something else beside an element."""
COUNTED: Final = frozenset(("each_with_index", "with_index"))
"""What yields each element with its number."""
ADD: Final = frozenset(
    ["<<", "push", "append", "unshift", "prepend", "add", "add?", "enq", "insert", "yield", "call"]
)
"""What puts something in; a block that an array stands for, as `to_a`'s for `each`, is called."""
_PAIRS_NAMES: Final = """
each each_pair map collect select filter reject any? all? find detect each_with_object
flat_map filter_map to_h sum count min_by max_by sort_by group_by partition none? one?
delete_if keep_if select! filter! reject!
"""
PAIRS: Final = frozenset(_PAIRS_NAMES.split())
_OF_PAIRS_NAMES: Final = """
map collect flat_map filter_map find detect find_all sort sort_by min max min_by max_by first
each_with_index each_with_object inject reduce group_by partition zip each_slice each_cons to_a
minmax minmax_by
entries take drop take_while drop_while each_entry lazy sum with_index
"""
OF_PAIRS: Final = frozenset(_OF_PAIRS_NAMES.split())
"""What a hash does as an array of pairs."""
_ENUMERABLE_NAMES: Final = """
map collect select filter reject find detect each_with_index each_with_object inject reduce
sum min max min_by max_by sort sort_by to_a entries first include? any? all? none? count
group_by partition zip take take_while drop each_slice each_cons flat_map filter_map
each_entry to_set reverse_each lazy tally uniq find_all find_index grep grep_v collect_concat
chunk chunk_while slice_when slice_before slice_after compact cycle drop_while member? minmax
minmax_by one? to_h
"""
ENUMERABLE: Final = frozenset(_ENUMERABLE_NAMES.split())
OPERATORS: Final = frozenset(("+", "-", "*", "/", "%", "**", "<", ">", "<=", ">=", "<<", "=="))
"""What texts and numbers do with another operand."""
ORDERING: Final = frozenset(("sort", "sort!", "max", "min", "minmax"))
COMPARABLE: Final = frozenset(["<", ">", "<=", ">=", "==", "between?", "clamp"])
_CORE_NAMES: Final = """
abort abs abs2 advise alias_method all? allocate ancestors angle any? append append_features
arg arity ascii_only? assoc at at_exit attr attr_accessor attr_reader attr_writer autoclose=
autoclose? autoload autoload? b backtrace backtrace_locations between? binding binmode
binmode? block_given? bsearch bsearch_index bytes bytesize byteslice call caller
caller_locations capitalize capitalize! casecmp casecmp? catch cause ceil center chain chars
chomp chomp! chop chop! chr chunk chunk_while clamp class class_eval class_exec
class_variable_defined? class_variable_get class_variable_set class_variables clear clone
close close_on_exec= close_on_exec? close_read close_write closed? codepoints coerce collect
collect! collect_concat combination compact compact! compare_by_identity compare_by_identity?
concat conj conjugate const_defined? const_get const_missing const_set const_source_location
constants count crypt curry cycle deconstruct deconstruct_keys default default= default_proc
default_proc= define_method define_singleton_method delete delete! delete_at delete_if
delete_prefix delete_prefix! delete_suffix delete_suffix! denominator deprecate_constant
detect difference dig display div divmod downcase downcase! drop drop_while dump dup each
each_byte each_char each_codepoint each_cons each_entry each_grapheme_cluster each_index
each_key each_line each_pair each_slice each_value each_with_index each_with_object empty?
encode encode! encoding end_with? entries enum_for eof eof? eql? equal? eval except exception
exec exit exit! extend extend_object extended external_encoding fail fcntl fdatasync fdiv
fetch fetch_values fileno fill filter filter! filter_map find find_all find_index finite?
first flat_map flatten flatten! floor flush force_encoding fork format freeze frozen? fsync
full_message getbyte getc gets global_variables grapheme_clusters grep grep_v group_by gsub
gsub! has_key? has_value? hash hex i imag imaginary include include? included included_modules
index infinite? inherited initialize initialize_clone initialize_copy initialize_dup inject
insert inspect instance_eval instance_exec instance_method instance_methods instance_of?
instance_variable_defined? instance_variable_get instance_variable_set instance_variables
integer? intern internal_encoding intersect? intersection invert ioctl is_a? isatty iterator?
itself join keep_if key key? keys kind_of? lambda lambda? last lazy length lineno lineno=
lines ljust load local_variables loop lstrip lstrip! magnitude map map! match match? max
max_by member? members merge merge! message method method_added method_defined? method_missing
method_removed method_undefined methods min min_by minmax minmax_by module_eval module_exec
module_function modulo name negative? new next next! nil? none? nonzero? numerator object_id
oct one? open ord p pack parameters partition permutation phase pid polar pop pos pos=
positive? pp pread prepend prepend_features prepended print printf private
private_class_method private_constant private_instance_methods private_method_defined?
private_methods proc product protected protected_instance_methods protected_method_defined?
protected_methods public public_class_method public_constant public_instance_method
public_instance_methods public_method public_method_defined? public_methods public_send push
putc puts pwrite quo raise rand rassoc read read_nonblock readbyte readchar readline readlines
readpartial real real? rect rectangular reduce refine rehash reject reject! remainder
remove_class_variable remove_const remove_instance_variable remove_method reopen
repeated_combination repeated_permutation replace require require_relative respond_to?
respond_to_missing? reverse reverse! reverse_each rewind rindex rjust rotate rotate! round
rpartition rstrip rstrip! ruby2_keywords sample scan scrub scrub! seek select select! send
set_backtrace set_encoding set_encoding_by_bom set_trace_func setbyte shift shuffle shuffle!
singleton_class singleton_class? singleton_method singleton_method_added
singleton_method_removed singleton_method_undefined singleton_methods size sleep slice slice!
slice_after slice_before slice_when sort sort! sort_by sort_by! source_location spawn split
sprintf squeeze squeeze! srand start_with? stat step store strip strip! sub sub! subclasses
succ succ! sum superclass swapcase swapcase! sync sync= syscall sysread sysseek system
syswrite taint tainted? take take_while tally tap tell test then throw to_a to_ary to_c
to_enum to_f to_h to_hash to_i to_int to_io to_proc to_r to_s to_str to_sym tr tr! tr_s tr_s!
trace_var transform_keys transform_keys! transform_values transform_values! transpose trap
truncate trust try_convert tty? undef_method undump ungetbyte ungetc unicode_normalize
unicode_normalize! unicode_normalized? union uniq uniq! unpack unpack1 unshift untaint
untrace_var untrust
untrusted? upcase upcase! update upto using valid_encoding? value? values values_at warn write
write_nonblock yield yield_self zero? zip
"""
CORE: Final = frozenset(_CORE_NAMES.split())
"""What instances of Ruby's own classes answer to, or any object privately."""
_CORE_CONSTANTS_NAMES: Final = """
ARGF ARGV ArgumentError Array BasicObject Benchmark BigDecimal Bignum Binding CROSS_COMPILING
CSV Class ClosedQueueError Comparable Complex ConditionVariable Data Date DateTime Delegator
Digest Dir ENV EOFError ERB Encoding EncodingError Enumerable Enumerator Errno Exception
FalseClass Fiber FiberError File FileTest FileUtils Fixnum Float FloatDomainError Forwardable
FrozenError GC Hash IO IOError IndexError Integer Interrupt JSON Kernel KeyError LoadError
LocalJumpError Logger Marshal MatchData Math Method Module Mutex NameError NilClass
NoMatchingPatternError NoMatchingPatternKeyError NoMemoryError NoMethodError
NotImplementedError Numeric Object ObjectSpace Observable OpenStruct Pathname Proc Process
Queue Ractor Random Range RangeError Rational Refinement Regexp RegexpError RubyVM
RuntimeError STDERR STDIN STDOUT ScriptError SecureRandom SecurityError Set Shellwords Signal
SignalException SimpleDelegator Singleton SizedQueue StandardError StopIteration String
StringIO Struct Symbol SyntaxError SystemCallError SystemExit SystemStackError
TOPLEVEL_BINDING Tempfile Thread ThreadError ThreadGroup Time Timeout TracePoint TrueClass
TypeError URI UnboundMethod UncaughtThrowError Warning YAML ZeroDivisionError
"""
CORE_CONSTANTS: Final = frozenset(_CORE_CONSTANTS_NAMES.split())
"""Constants of Ruby and of its standard library's most used parts."""
