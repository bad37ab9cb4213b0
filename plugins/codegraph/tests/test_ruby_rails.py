"""What Rails calls of a class's own methods: jobs, mails, callbacks, concerns."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from conftest import Project

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
    "a class of Rails' that is opened again stays Rails'": (
        "module ActionController\n  class Base\n    def self.session=(*) = raise\n  end\nend\n"
        "class ApplicationController < ActionController::Base\n  def sign_in; end\nend\n"
        "class Users < ApplicationController\n  before_action :sign_in, only: :show\n"
        "  def show; end\nend\n",
        {(M, "ApplicationController.sign_in")},
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


CONTROLLERS = (
    "class UsersController < ApplicationController\n  def index; end\n  def show; end\n"
    "  def create; end\n  def ban; end\nend\n"
    "module Admin\n  class UsersController < ApplicationController\n    def index; end\n"
    "  end\nend\n"
    "class CategoriesController < ApplicationController\n  def index; end\n  def update; end\nend\n"
)


def test_routes_hand_over_the_actions_of_controllers(project: Project) -> None:
    project.write("app/controllers.rb", CONTROLLERS)
    project.write(
        "config/routes.rb",
        "Rails.application.routes.draw do\n  resources :users, only: [:index] do\n"
        "    member do\n      post :ban\n    end\n  end\n"
        "  namespace :admin do\n    resources :users\n  end\n"
        "  get 'all', to: 'categories#index'\n  resource :category\nend\n",
    )
    project.index("ruby")
    for name, lines in {
        "UsersController.index": [2], "UsersController.ban": [4],
        "Admin.UsersController.index": [8], "CategoriesController.index": [10],
        "CategoriesController.update": [11],
    }.items():  # fmt: skip
        context = project.call("get_function_context", function_name=name)["context"]
        [handing] = context["references"]
        assert (handing["file"], handing["lines"]) == ("config/routes.rb", lines), name
        assert context["callers"] == []


def test_requests_of_tests_come_to_actions(edges) -> None:
    found = edges(
        {
            "app/controllers.rb": CONTROLLERS,
            "test/users_controller_test.rb": (
                "class UsersControllerTest < ActionController::TestCase\n"
                "  def test_ban; get :ban; end\nend\n"
                "class Flow < ActionDispatch::IntegrationTest\n  def go; get users_path; end\nend\n"
                "class FlowTest < ActionDispatch::IntegrationTest\n"
                "  test 'all' do\n    get admin_users_url\n    patch category_path(1)\n  end\nend\n"
            ),
            "spec/users_spec.rb": (
                "describe 'users' do\n  it { get '/users?page=1' }\n  it { get \"/users/#{id}\" }\n"
                "  it { post '/users' }\n  it { post '/users/7/ban' }\nend\n"
                "describe Admin::UsersController do\n  it { get :index }\nend\n"
            ),
        }
    )
    spec, test = "spec/users_spec.rb::<module>", "test/users_controller_test.rb"
    of = "app/controllers.rb::"
    assert found == {
        (f"{test}::UsersControllerTest.test_ban", of + "UsersController.ban"),
        (f"{test}::<module>", of + "Admin.UsersController.index"),
        (f"{test}::<module>", of + "CategoriesController.update"),
        (spec, of + "UsersController.index"),
        (spec, of + "UsersController.show"),
        (spec, of + "UsersController.create"),
        (spec, of + "UsersController.ban"),
        (spec, of + "Admin.UsersController.index"),
    }


def test_requests_come_to_the_actions_that_routes_lead_to(edges) -> None:
    actions = {
        "HomeController": "index dashboard",
        "Api::V1::UsersController": "index show activate search",
        "Api::V1::PostsController": "index", "UsersController": "index",
        "Backstage::OrdersController": "index destroy", "ItemsController": "show",
        "ProfilesController": "show update", "Library::BooksController": "index",
        "ReportsController": "daily", "PhotosController": "display",
    }  # fmt: skip
    controllers = "module Api; module V1; end; end\nmodule Backstage; end\nmodule Library; end\n"
    for name, methods in actions.items():
        body = "; ".join(f"def {method}; end" for method in methods.split())
        controllers += f"class {name} < ApplicationController; {body}; end\n"
    requests = {
        "get '/'": "HomeController.index",
        "get '/api/v1/users'": "Api.V1.UsersController.index",
        "get api_v1_user_path(1)": "Api.V1.UsersController.show",
        'post "/api/v1/users/#{id}/activate"': "Api.V1.UsersController.activate",
        "post activate_api_v1_user_path(1)": "Api.V1.UsersController.activate",
        "get search_api_v1_users_url": "Api.V1.UsersController.search",
        "get '/api/v1/users/1/posts'": "Api.V1.PostsController.index",
        "get '/admin/orders'": "Backstage.OrdersController.index",
        "delete order_path(1)": "Backstage.OrdersController.destroy",
        "get '/shop/items/4?full=1'": "ItemsController.show",
        "get profile_path": "ProfilesController.show",
        "patch '/profile'": "ProfilesController.update",
        "get '/volumes'": "Library.BooksController.index",
        "get board_path": "HomeController.dashboard",
        "get '/internal/daily'": "ReportsController.daily",
        "get '/photos/12'": "PhotosController.display",
    }
    tests = "".join(f"  def test_{n}; {it}; end\n" for n, it in enumerate(requests))
    found = edges(
        {
            "app/controllers.rb": controllers,
            "config/routes.rb": (
                "Rails.application.routes.draw do\n  root 'home#index'\n"
                "  namespace :api do\n    namespace :v1 do\n"
                "      resources :users, only: [:index, :show] do\n"
                "        member { post :activate }\n        get :search, on: :collection\n"
                "        resources :posts, only: :index\n      end\n    end\n  end\n"
                "  scope '/admin', module: 'backstage' do\n    resources :orders\n  end\n"
                "  scope path: '/shop' do\n    resources :items\n  end\n"
                "  resource :profile, except: %i[destroy]\n"
                "  resources :books, controller: 'library/books', path: 'volumes'\n"
                "  get 'dashboard' => 'home#dashboard', as: :board\n"
                "  scope :internal, controller: :reports do\n    get :daily\n  end\n"
                "  get '/photos/:id(.:format)', to: 'photos#display'\nend\n"
            ),
            "test/all_test.rb": f"class AllTest < ActionDispatch::IntegrationTest\n{tests}end\n",
        }
    )
    assert found == {
        (f"test/all_test.rb::AllTest.test_{n}", f"app/controllers.rb::{action}")
        for n, action in enumerate(requests.values())
    }


def test_requests_come_to_the_controllers_that_devise_is_told(edges) -> None:
    """Those of Devise itself are no file's."""
    actions = {
        "Users::SessionsController": "new create destroy",
        "Users::RegistrationsController": "new create update",
        "Staff::PasswordsController": "edit",
    }
    controllers = "module Users; end\nmodule Staff; end\n"
    for name, methods in actions.items():
        body = "; ".join(f"def {method}; end" for method in methods.split())
        controllers += f"class {name} < ApplicationController; {body}; end\n"
    requests = {
        "get '/users/login'": "Users.SessionsController.new",
        "post user_session_path": "Users.SessionsController.create",
        "delete '/users/sign_out'": "Users.SessionsController.destroy",
        "post '/users'": "Users.RegistrationsController.create",
        "put user_registration_path": "Users.RegistrationsController.update",
        "get new_user_registration_url": "Users.RegistrationsController.new",
        "get '/team/password/edit'": "Staff.PasswordsController.edit",
    }
    tests = "".join(f"  def test_{n}; {it}; end\n" for n, it in enumerate(requests))
    found = edges(
        {
            "app/controllers.rb": controllers,
            "config/routes.rb": (
                "Rails.application.routes.draw do\n"
                "  devise_for :users, path_names: { sign_in: 'login' }, controllers: {\n"
                "    sessions: 'users/sessions', 'registrations' => 'users/registrations'\n  }\n"
                "  devise_for :admins, path: 'team', module: 'staff'\nend\n"
            ),
            "test/all_test.rb": (
                f"class AllTest < ActionDispatch::IntegrationTest\n{tests}"
                "  def test_not_ours; post '/team/sign_in'; end\nend\n"
            ),
        }
    )
    assert found == {
        (f"test/all_test.rb::AllTest.test_{n}", f"app/controllers.rb::{action}")
        for n, action in enumerate(requests.values())
    }


def test_routes_of_an_app_have_the_helpers_of_modules(edges) -> None:
    found = edges(
        "module Auth; def who = find; def find; end; end\n"
        "module Texts; def title; end; end\n"
        "class App < Sinatra::Base\n  helpers Auth, Texts\n"
        "  before { who }\n  get('/') { show }\n  def show = title\nend\n"
        "class API < Grape::API\n  helpers Texts\n  resource(:a) { get { title } }\nend\n",
        suffix=".rb",
    )
    assert found == {
        *(("<module>", name) for name in ("Auth.who", "App.show", "Texts.title")),
        *(("Auth.who", "Auth.find"), ("App.show", "Texts.title")),
    }
