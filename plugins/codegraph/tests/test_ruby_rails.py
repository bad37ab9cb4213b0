"""What Rails calls of a class's own methods: jobs, mails, callbacks, concerns."""

from __future__ import annotations

import pytest

M = "<module>"

CASES = {
    "jobs come to `perform`, with what they are given": (
        "class User\n  def greet; end\nend\n"
        "class SendJob < ApplicationJob\n  def perform(user) user.greet; end\nend\n"
        "class Worker\n  include Sidekiq::Worker\n  def perform(id) tidy; end\n"
        "  def tidy; end\nend\n"
        "class A\n  def now; SendJob.perform_later(User.new); end\n"
        "  def later; SendJob.set(wait: 1).perform_later(User.new); end\n"
        "  def aside; Worker.perform_in(5, 1); end\nend\n",
        {
            ("SendJob.perform", "User.greet"),
            ("Worker.perform", "Worker.tidy"),
            ("A.now", "SendJob.perform"),
            ("A.later", "SendJob.perform"),
            ("A.aside", "Worker.perform"),
        },
    ),
    "a mailer's class answers for its methods": (
        "class ApplicationMailer < ActionMailer::Base\nend\n"
        "class UserMailer < ApplicationMailer\n  def welcome(user) sign; end\n"
        "  def sign; end\nend\n"
        "def send_all\n  UserMailer.welcome(1).deliver_later\n"
        "  UserMailer.with(user: 1).welcome(1)\nend\n",
        {("send_all", "UserMailer.welcome"), ("UserMailer.welcome", "UserMailer.sign")},
    ),
    "only mailers do": (
        "class Note\n  def welcome; end\nend\ndef send_all; Note.welcome; end\n",
        set(),
    ),
    "callbacks are methods by their names, or blocks that get the object": (
        "class User < ApplicationRecord\n  before_save :tidy, :check, if: :new?\n"
        "  validate :check\n  validates :name, presence: true, unless: [:old?, :new?]\n"
        "  after_commit { |user| user.tell }\n"
        "  def tidy; end\n  def check; end\n  def new?; end\n  def old?; end\n  def tell; end\n"
        "  def name; end\nend\n",
        {(M, f"User.{name}") for name in ("tidy", "check", "new?", "old?", "tell")},
    ),
    "what a controller inherits is called back too": (
        "class ApplicationController < ActionController::Base\n  def sign_in; end\n"
        "  rescue_from KeyError, with: :missing\n  def missing; end\nend\n"
        "class Users < ApplicationController\n  before_action :sign_in, only: :show\n"
        "  skip_before_action :missing\n  def show; end\nend\n",
        {(M, "ApplicationController.sign_in"), (M, "ApplicationController.missing")},
    ),
    "words for callbacks that the project has itself are the project's": (
        "module Hooks\n  def before_save(name); end\nend\n"
        "class User < ApplicationRecord\n  extend Hooks\n  before_save :tidy\n"
        "  def tidy; end\nend\nclass Plain\n  after_save :tidy\n  def tidy; end\nend\n",
        {(M, "Hooks.before_save")},
    ),
    "a concern's block is evaluated in the classes that include it": (
        "module Kept\n  extend ActiveSupport::Concern\n"
        "  included do\n    before_save :keep\n    scope :old, -> { where(old: true) }\n  end\n"
        "  class_methods do\n    def sweep; end\n  end\n  def keep; end\nend\n"
        "class User < ApplicationRecord\n  include Kept\n  def go; end\nend\n"
        "User.old.sweep\nUser.old.first.go\n",
        {(M, "Kept.keep"), (M, "Kept.ClassMethods.sweep"), (M, "User.go")},
    ),
}


@pytest.mark.parametrize("name", CASES)
def test_resolves(edges, name: str) -> None:
    source, expected = CASES[name]
    assert edges(source, suffix=".rb") == expected
