"""Path safety: one canonical form, nothing outside the root, no race between check and use."""

from __future__ import annotations

import contextlib
import os
import threading
from pathlib import Path

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from toolroll import AllowedRoots, InvalidPath, NotFound, ProjectRoot

SECRET = b"outside"


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Make a project full of links, beside a directory that nothing may reach."""
    place = tmp_path_factory.mktemp("place")
    (place / "outside").mkdir()
    (place / "outside" / "secret").write_bytes(SECRET)
    root = place / "project"
    (root / "src" / "deep").mkdir(parents=True)
    (root / "file").write_bytes(b"inside")
    (root / "src" / "file").write_bytes(b"inside")
    (root / "src" / "deep" / "file").write_bytes(b"inside")
    (root / "a\\b").write_bytes(b"inside")
    (root / "C:drive").write_bytes(b"inside")
    (root / "in").symlink_to("src")
    (root / "src" / "up").symlink_to("..")
    (root / "out").symlink_to("../outside")
    (root / "out_file").symlink_to("../outside/secret")
    (root / "absolute").symlink_to(place / "outside")
    (root / "loop").symlink_to("loop")
    (root / "dangling").symlink_to("missing")
    (root / "odd").symlink_to("a\\b")
    (root / "odd_drive").symlink_to("C:drive")
    (root / "odd_bytes").symlink_to(os.fsdecode(b"caf\xe9"))
    (place / "project_twin").mkdir()
    (place / "project_twin" / "secret").write_bytes(SECRET)
    return place


@pytest.fixture(scope="module")
def root(place: Path) -> ProjectRoot:
    return ProjectRoot(place / "project")


@pytest.mark.parametrize(
    ("text", "canonical"),
    [
        ("file", "file"),
        ("./src//deep/../file", "src/file"),
        ("src\\deep\\file", "src/deep/file"),
        ("src/", "src"),
        ("in/file", "src/file"),
        ("src/up/file", "file"),
        ("in/up/in/deep/file", "src/deep/file"),
        ("not/there/yet", "not/there/yet"),
        ("dangling", "missing"),
        ("file/..", None),
        ("café/ñ", "café/ñ"),
        (" leading and trailing ", " leading and trailing "),
        ("...", "..."),
        ("name:stream", "name:stream"),
    ],
)
def test_every_spelling_has_one_form(root: ProjectRoot, text: str, canonical: str | None) -> None:
    if canonical is None:
        assert root.canonical(text, allow_root=True) == "."
    else:
        assert root.canonical(text) == canonical


@pytest.mark.parametrize(
    "text",
    [
        "",
        "   ",
        "..",
        "../project_twin/secret",
        "../outside/secret",
        "src/../../outside/secret",
        "src\\..\\..\\outside\\secret",
        "/etc/passwd",
        "//server/share",
        "\\\\server\\share\\file",
        "\\\\?\\C:\\file",
        "C:\\Windows\\win.ini",
        "C:file",
        "c:/file",
        "out",
        "out/secret",
        "in/../out/secret",
        "out_file",
        "absolute/secret",
        "src/up/out/secret",
        "src/up/../outside/secret",
        "fi\x00le",
        "fi\nle",
        "fi\x7fle",
        "fi\x9fle",
        "fi\ud800le",
        "odd",
        "odd_drive",
        "odd_bytes",
        "x" * 256,
        "é" * 128,
        "x/" * 2049,
    ],
)
def test_what_is_hostile_or_malformed_is_refused(root: ProjectRoot, text: str) -> None:
    with pytest.raises(InvalidPath) as refused:
        root.canonical(text)
    assert str(root.path) not in refused.value.message
    assert "outside" not in refused.value.message.replace(text, "")


def test_the_longest_names_that_a_file_system_takes_are_taken(root: ProjectRoot) -> None:
    assert root.canonical("x" * 255) == "x" * 255


@pytest.mark.parametrize("text", [".", "./", "src/..", "src/up"])
def test_the_root_itself_is_named_only_where_it_may(root: ProjectRoot, text: str) -> None:
    with pytest.raises(InvalidPath, match="project root itself"):
        root.canonical(text)
    assert root.canonical(text, allow_root=True) == "."


def test_an_absolute_path_inside_the_root_has_a_relative_form(root: ProjectRoot) -> None:
    assert root.relative(str(root.path / "in" / "file")) == "src/file"
    with pytest.raises(InvalidPath):
        root.relative(str(root.path.parent / "outside" / "secret"))
    with pytest.raises(InvalidPath):
        root.relative(str(root.path) + "_twin/secret")


segments = st.sampled_from(
    [
        *("..", ".", "", " ", "file", "src", "deep", "in", "up", "out", "out_file", "absolute"),
        *("loop", "dangling", "odd", "odd_drive", "odd_bytes", "a\\b", "C:", "~", "secret", "%2e"),
        *("project", "project_twin", "outside", "x\x00", "\ud800", "é", "aux", "file.", "..."),
    ]
) | st.text(max_size=4)
hostile_paths = st.builds(
    lambda start, parts, separator: start + separator.join(parts),
    st.sampled_from(["", "/", "//", "\\", "./", "../", "C:\\", "\\\\?\\", "file:///"]),
    st.lists(segments, min_size=1, max_size=7),
    st.sampled_from(["/", "\\", "//", "/./"]),
)


@settings(max_examples=1000)
@given(text=hostile_paths)
@example(text="in/../out/secret")
@example(text="src/up/../project_twin/secret")
def test_no_path_escapes_and_canonical_is_idempotent(root: ProjectRoot, text: str) -> None:
    try:
        canonical = root.canonical(text, allow_root=True)
    except InvalidPath:
        return
    assert root.canonical(canonical, allow_root=True) == canonical
    assert Path(os.path.realpath(root.path / canonical)).is_relative_to(root.path)
    assert not canonical.startswith(("/", "../"))
    with contextlib.suppress(NotFound, InvalidPath), root.open(canonical) as file:
        assert file.read() == b"inside"


def test_a_file_is_opened_by_its_canonical_form(root: ProjectRoot) -> None:
    with root.open(root.canonical("in/deep/file")) as file:
        assert file.read() == b"inside"


@pytest.mark.parametrize("canonical", ["missing", "src", "src/missing", "file/x", "."])
def test_what_is_no_regular_file_is_not_found(root: ProjectRoot, canonical: str) -> None:
    with pytest.raises(NotFound):
        root.open(canonical)


def test_a_pipe_is_not_waited_for(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(NotFound, match="not a regular file"):
        ProjectRoot(tmp_path).open("pipe")


@pytest.mark.parametrize("swapped", ["sub", "sub/file"])
def test_a_link_swapped_in_after_the_check_is_caught(tmp_path: Path, swapped: str) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "file").write_bytes(SECRET)
    root = ProjectRoot(tmp_path / "project")
    (root.path / "sub").mkdir(parents=True)
    (root.path / "sub" / "file").write_bytes(b"inside")
    canonical = root.canonical("sub/file")

    (root.path / swapped).rename(root.path / "moved")
    (root.path / swapped).symlink_to(outside if swapped == "sub" else outside / "file")

    with pytest.raises(InvalidPath, match="symlinks are not followed"):
        root.open(canonical)


@pytest.mark.parametrize("name", ["back\\slash", "new\nline", "~", "with space", "C:"])
def test_a_root_may_have_any_name_that_is_text(tmp_path: Path, name: str) -> None:
    (tmp_path / name / "src").mkdir(parents=True)
    root = ProjectRoot(tmp_path / name)
    roots = AllowedRoots((ProjectRoot(tmp_path / "other"), root))
    assert roots.find(str(root.path)) == root
    assert roots.find(f"{root.path}/src\\deep") == ProjectRoot(root.path / "src" / "deep")
    with pytest.raises(InvalidPath, match="outside"):
        roots.find(f"{root.path}/../elsewhere")
    with pytest.raises(InvalidPath, match=r"U\+000A"):
        roots.find(f"{root.path}/src\n")


def test_a_root_whose_name_is_no_text_cannot_be_named(tmp_path: Path) -> None:
    root = ProjectRoot(os.fsdecode(os.fsencode(tmp_path) + b"/bad\xff"))
    with pytest.raises(InvalidPath, match="not UTF-8; rename"):
        AllowedRoots((root,)).find(str(root.path))


def test_a_swap_that_races_the_open_never_leads_outside(tmp_path: Path) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "file").write_bytes(SECRET)
    root = ProjectRoot(tmp_path / "project")
    (root.path / "sub").mkdir(parents=True)
    (root.path / "sub" / "file").write_bytes(b"inside")
    (root.path / "link").symlink_to(outside)
    stop = threading.Event()

    def swap() -> None:
        while not stop.is_set():
            (root.path / "sub").rename(root.path / "kept")
            (root.path / "link").rename(root.path / "sub")
            (root.path / "sub").rename(root.path / "link")
            (root.path / "kept").rename(root.path / "sub")

    swapper = threading.Thread(target=swap)
    swapper.start()
    try:
        for _ in range(2000):
            with (
                contextlib.suppress(NotFound, InvalidPath),
                root.open(root.canonical("sub/file")) as file,
            ):
                assert file.read() == b"inside"
    finally:
        stop.set()
        swapper.join()


def test_allowed_roots_keep_their_order_and_drop_repeats(tmp_path: Path) -> None:
    first, second = tmp_path / "b", tmp_path / "a"
    first.mkdir()
    second.mkdir()
    roots = AllowedRoots.of([first, second, first / ".." / "b"])
    assert [root.path for root in roots] == [first, second]
    assert roots.first.path == first


def test_an_absolute_path_is_found_in_any_allowed_root(place: Path, tmp_path: Path) -> None:
    roots = AllowedRoots.of([tmp_path, place / "project"])
    assert roots.find(str(place / "project")).path == place / "project"
    assert roots.find(str(place / "project" / "in")).path == place / "project" / "src"
    assert roots.find(str(place / "project" / "not yet")).path == place / "project" / "not yet"


@pytest.mark.parametrize(
    "text", ["", "src", "{place}", "{place}/outside", "{place}/project/out", "{place}/project_twin"]
)
def test_what_lies_outside_every_allowed_root_is_refused(place: Path, text: str) -> None:
    roots = AllowedRoots.of([place / "project"])
    with pytest.raises(InvalidPath):
        roots.find(text.format(place=place))


@pytest.mark.parametrize("text", ["", " ", "src"])
def test_what_is_no_absolute_path_is_told_what_is_wanted(tmp_path: Path, text: str) -> None:
    with pytest.raises(InvalidPath, match="; give the absolute path of a project"):
        AllowedRoots((ProjectRoot(tmp_path),)).find(text)


@pytest.mark.parametrize("text", ["src", "/"])
def test_who_names_no_allowed_root_is_told_those_that_are_allowed(
    tmp_path: Path, text: str
) -> None:
    places = [tmp_path / str(number) for number in range(7)]
    roots = AllowedRoots.of(places)
    with pytest.raises(InvalidPath) as told:
        roots.find(text)
    assert f" in {places[0]}, " in str(told.value)
    assert f"{places[4]}, …" in str(told.value)
    with pytest.raises(InvalidPath) as told:
        roots.limited_to([str(places[3])]).find(text)
    assert f" in {places[3]}" in str(told.value)
    assert str(places[0]) not in str(told.value)
    with pytest.raises(InvalidPath) as told:
        roots.limited_to([str(tmp_path.parent / "other")]).find(text)
    assert str(tmp_path) not in str(told.value)


def test_who_may_do_something_about_a_path_outside_is_told_what(tmp_path: Path) -> None:
    roots = AllowedRoots.of([tmp_path])
    outside = str(tmp_path.parent)
    with pytest.raises(InvalidPath, match=r" or start the host with --root for it\Z"):
        roots.find(outside)
    inside = tmp_path / "a"
    with pytest.raises(InvalidPath, match=r"/a or ask for a key that allows it\Z"):
        roots.limited_to([str(inside)]).find(str(tmp_path))


def test_a_loop_of_links_is_a_directory_that_does_not_exist(tmp_path: Path) -> None:
    (tmp_path / "loop").symlink_to("loop")
    found = AllowedRoots((ProjectRoot(tmp_path),)).find(str(tmp_path / "loop" / "in"))
    assert not found.path.is_dir()
    with pytest.raises((NotFound, InvalidPath)):
        found.open("file")
