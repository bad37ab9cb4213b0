"""RSpec's and Minitest's examples: what they call, through `let`, `subject` and matchers."""

from __future__ import annotations

import pytest

M = "<module>"
CART = (
    "class Cart\n  def initialize(n = 1); end\n  def add(it); self; end\n  def total; end\n"
    "  def empty?; end\n  def has_room?; end\n  def ==(other); end\nend\n"
    "class Item\n  def price; end\nend\n"
)

CASES = {
    "`let`, `let!` and a named subject are methods of the examples": (
        "describe Cart do\n  subject(:cart) { Cart.new }\n  let(:item) { Item.new }\n"
        "  let!(:other) { item }\n"
        "  it('a') { cart.add(item) }\n"
        "  it 'b' do\n    subject.total\n    other.price\n  end\nend\n",
        {"Cart.initialize", "Cart.add", "Cart.total", "Item.price"},
    ),
    "`described_class`, and an object of it where no subject is named": (
        "RSpec.describe Cart do\n  it { described_class.new.total }\n  context 'x' do\n"
        "    it { is_expected.to be_empty }\n  end\n  it { should have_room }\nend\n",
        {"Cart.initialize", "Cart.total", "Cart.empty?", "Cart.has_room?"},
    ),
    "the innermost class is the one described": (
        "describe Item do\n  describe Cart do\n    it { described_class.new.total }\n  end\nend\n",
        {"Cart.initialize", "Cart.total"},
    ),
    "inner groups replace what outer ones name, for the outer ones' blocks too": (
        "describe 'x' do\n  let(:it) { raise }\n  before { thing.total }\n"
        "  context 'y' do\n    let(:thing) { Cart.new }\n    it { thing.add(1) }\n  end\nend\n",
        {"Cart.initialize", "Cart.total", "Cart.add"},
    ),
    "what `before` keeps the examples have": (
        "describe Cart do\n  before { @cart = Cart.new }\n  context 'y' do\n"
        "    it { @cart.total }\n  end\nend\n",
        {"Cart.initialize", "Cart.total"},
    ),
    "matchers ask what is expected": (
        "describe Cart do\n  let(:cart) { Cart.new }\n"
        "  it { expect(cart).to eq(Cart.new) }\n  it { expect(cart).not_to be_empty }\n"
        "  it { cart.should have_room }\n"
        "  it { expect(cart).to have_attributes(total: 1) }\nend\n",
        {"Cart.initialize", "Cart.==", "Cart.empty?", "Cart.has_room?", "Cart.total"},
    ),
    "`change` calls the method that it watches": (
        "describe Cart do\n  let(:cart) { Cart.new }\n"
        "  it { expect { cart.add(1) }.to change(cart, :total) }\nend\n",
        {"Cart.initialize", "Cart.add", "Cart.total"},
    ),
    "shared examples run on the groups that include them": (
        "RSpec.shared_examples 'a thing' do |name|\n  it { thing.total }\nend\n"
        "describe Cart do\n  let(:thing) { Cart.new }\n  it_behaves_like 'a thing', 1\nend\n"
        "describe Item do\n  it_behaves_like 'a thing' do\n    let(:thing) { Cart.new }\n  end\n"
        "end\n",
        {"Cart.initialize", "Cart.total"},
    ),
    "a shared context gives the group its names": (
        "shared_context 'a cart' do\n  let(:cart) { Cart.new }\nend\n"
        "describe Cart do\n  include_context 'a cart'\n  it { cart.total }\nend\n",
        {"Cart.initialize", "Cart.total"},
    ),
    "examples in a loop see its variable": (
        "describe Cart do\n  [Cart.new].each do |cart|\n    it { cart.total }\n"
        "    context 'y' do\n      it { cart.add(1) }\n    end\n  end\nend\n",
        {"Cart.initialize", "Cart.total", "Cart.add"},
    ),
    "a word of RSpec's that the project defines is the project's": (
        "class Words\n  def self.describe(it); yield; end\nend\n"
        "Words.describe(Cart) { Cart.new.total }\n",
        {"Words.describe", "Cart.initialize", "Cart.total"},
    ),
}


@pytest.mark.parametrize("name", CASES)
def test_resolves(edges, name: str) -> None:
    source, expected = CASES[name]
    assert edges(CART + source, suffix=".rb") == {(M, callee) for callee in expected}


def test_a_helper_of_a_group_is_a_function_of_the_file(edges) -> None:
    source = CART + "describe Cart do\n  def made = Cart.new\n  it { made.total }\nend\n"
    assert edges(source, suffix=".rb") == {
        (M, "made"),
        ("made", "Cart.initialize"),
        (M, "Cart.total"),
    }


def test_what_a_file_mixes_into_every_object_the_examples_have(edges) -> None:
    source = "module Kit\n  def fill; end\nend\ninclude Kit\ndescribe 'x' do\n  it { fill }\nend\n"
    assert edges(source, suffix=".rb") == {(M, "Kit.fill")}


def test_files_share_examples_and_what_is_configured(edges) -> None:
    found = edges(
        {
            "lib/cart.rb": CART,
            "spec/spec_helper.rb": (
                "module Helpers\n  def made; Cart.new; end\nend\n"
                "RSpec.configure do |config|\n  config.include Helpers, type: :model\n"
                "  config.include_context 'emptied'\nend\n"
                "RSpec.shared_context 'emptied' do\n  before { Cart.new.empty? }\n"
                "  def fill; Cart.new.add(1); end\nend\n"
            ),
            "spec/shared.rb": "RSpec.shared_examples :a_cart do\n  it { subject.total }\nend\n",
            "spec/cart_spec.rb": (
                "describe Cart do\n  subject { made }\n  it_behaves_like :a_cart\n"
                "  it { fill }\nend\n"
            ),
        }
    )
    assert found == {
        ("spec/cart_spec.rb::<module>", "spec/spec_helper.rb::fill"),
        ("spec/spec_helper.rb::fill", "lib/cart.rb::Cart.initialize"),
        ("spec/spec_helper.rb::fill", "lib/cart.rb::Cart.add"),
        ("spec/spec_helper.rb::<module>", "lib/cart.rb::Cart.initialize"),
        ("spec/spec_helper.rb::<module>", "lib/cart.rb::Cart.empty?"),
        ("spec/cart_spec.rb::<module>", "spec/spec_helper.rb::Helpers.made"),
        ("spec/spec_helper.rb::Helpers.made", "lib/cart.rb::Cart.initialize"),
        ("spec/shared.rb::<module>", "lib/cart.rb::Cart.total"),
    }


def test_factories_and_fixtures_give_objects_of_their_classes(edges) -> None:
    user = "class User < ApplicationRecord\n  def greet; end\nend\n"
    found = edges(
        {
            "app/models/user.rb": user + "class Blog::Post\n  def publish; end\nend\n",
            "spec/factories.rb": (
                "FactoryBot.define do\n  factory :user, aliases: [:author] do\n"
                "    name { 'x' }\n    factory :admin do\n    end\n  end\n"
                "  factory :post, class: 'Blog::Post'\nend\n"
            ),
            "spec/a_spec.rb": (
                "describe User do\n  let(:admin) { create(:admin, name: 'y') }\n"
                "  it { admin.greet }\n"
                "  it { FactoryBot.build_list(:post, 2).each { |post| post.publish } }\nend\n"
            ),
            "test/b_test.rb": (
                "class UserTest < ActiveSupport::TestCase\n  setup do\n"
                "    @user = users(:alice)\n    @author = build(:author)\n    prepare\n  end\n"
                "  test 'greets' do\n    @user.greet\n    @author.greet\n  end\n"
                "  def prepare; end\nend\n"
            ),
        }
    )
    made = "spec/factories.rb::<module>"
    assert found - {
        (made, "app/models/user.rb::User"),
        (made, "app/models/user.rb::Blog.Post"),
    } == {
        ("spec/a_spec.rb::<module>", "app/models/user.rb::User.greet"),
        ("spec/a_spec.rb::<module>", "app/models/user.rb::Blog.Post.publish"),
        ("test/b_test.rb::<module>", "app/models/user.rb::User.greet"),
        ("test/b_test.rb::<module>", "test/b_test.rb::UserTest.prepare"),
    }
