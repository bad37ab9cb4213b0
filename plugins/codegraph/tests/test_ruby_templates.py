"""Templates of Ruby programs: what is code in them, whose methods that calls, who renders them."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest
from click.testing import CliRunner

from toolroll_codegraph.commands import commands
from toolroll_codegraph.languages.registry import extract, language_of
from toolroll_codegraph.languages.ruby.templates import code_of

if TYPE_CHECKING:
    from conftest import Project

USER = "class User < ApplicationRecord\n  def full_name; end\n  def admin?; end\nend\n"
HELPERS = (
    "module UsersHelper\n  def badge(user) user.full_name; end\n  def icon; sign; end\n"
    "  def sign; end\nend\n"
)
CONTROLLERS = {
    "app/controllers/application_controller.rb": (
        "class ApplicationController < ActionController::Base\n"
        "  helper_method :current_user\n  private\n  def current_user; User.new; end\nend\n"
    ),
    "app/controllers/users_controller.rb": (
        "class UsersController < ApplicationController\n"
        "  def show; @user = User.find(params[:id]); end\n"
        "  def index; @users = User.all; end\nend\n"
    ),
}
APP = {"app/models/user.rb": USER, "app/helpers/users_helper.rb": HELPERS, **CONTROLLERS}
SHOW = "app/views/users/show.html.erb"
NAME = "app/models/user.rb::User.full_name"


@pytest.mark.parametrize(
    ("template", "code"),
    [
        ("a <%= b %>\n", "      b ; \n"),
        ("<% if a -%>x\n<%- end -%>", "   if a  ;  \n    end  ; "),
        ("<%# no\nno %>é<%== a %>", "      \n" + 12 * " " + "a ; "),
        ("<%% a %> <%= b %>", "             b ; "),
        ("<%%= f <%= a %> %>", "           a ;    "),
        ("<%= a do |b| %>\r\n<% end %>", "    a do |b| ; \r\n   end ; "),
        ("<p>\n<% a", "   \n   a"),
        ("<%= f(a,\n  b) =%>", "    f(a,\n  b)  ; "),
        ("a > b %> c", "          "),
    ],
)
def test_code_stays_in_its_place(template: str, code: str) -> None:
    found = code_of("a.erb", template.encode()).source
    assert found.decode() == code
    assert len(found) == len(template.encode())


def test_a_template_may_draw_routes() -> None:
    """As those do that generators write a file of routes from."""
    template = (
        "<% Rails.application.routes.draw do %>\n"
        "<% resources :posts, path: 'articles' %>\n<% end %>\n"
    )
    facts = extract("lib/generators/routes.rb.erb", "ruby", template.encode())
    assert any(name.startswith("/articles/:id") for name in facts.names)


def test_what_is_no_ruby_is_counted_and_invents_nothing(edges) -> None:
    broken = "<% if %><%= x( %> <%= User.new.admin? %> <% end end %>"
    facts = extract("a.html.erb", "ruby", broken.encode())
    assert facts.parse_errors
    plain = extract("a.html.erb", "ruby", b"<% x.each do |y| %><%= y %><% end %>")
    assert plain.parse_errors == 0
    assert edges({**APP, "notes.erb": "icon <% icon2 %> User.new.admin?"}) == edges(APP)


def test_files_of_ruby_by_their_suffix() -> None:
    for name in ("config.ru", "show.json.jbuilder", "feed.atom.builder", "user.rabl", "a.js.erb"):
        assert language_of(name) == "ruby"


def test_helpers_are_called_by_templates_and_by_each_other(told) -> None:
    files = {
        **APP,
        "app/helpers/menu_helper.rb": "module MenuHelper\n  def menu; icon; end\nend\n",
        "app/helpers/admin/menu_helper.rb": (
            "module Admin\n  module MenuHelper\n    def tools; menu; end\n  end\nend\n"
        ),
        "app/views/layouts/application.html.erb": "<body>\n<%= tools %>\n<%= yield %></body>",
        SHOW: "<% [1].each do |n| %>\n  <%= badge @user -%>\n<% end %>\n<%= menu { sign } %>\n",
    }
    module = "<module>"
    assert told(files, SHOW)[module] == {"UsersHelper.badge", "MenuHelper.menu", "UsersHelper.sign"}
    assert told(files, "app/views/layouts/application.html.erb")[module] == {
        "Admin.MenuHelper.tools"
    }
    assert told(files, "app/helpers/menu_helper.rb") == {"MenuHelper.menu": {"UsersHelper.icon"}}
    assert told(files, "app/helpers/admin/menu_helper.rb") == {
        "Admin.MenuHelper.tools": {"MenuHelper.menu"}
    }
    assert told(files, "app/helpers/users_helper.rb") == {
        "UsersHelper.badge": {"User.full_name"}, "UsersHelper.icon": {"UsersHelper.sign"},
    }  # fmt: skip


def test_of_two_helpers_the_last_is_asked_and_further_ones_may_be_named(told) -> None:
    """To include the controller's own once more changes nothing: the application has it already."""
    files = {
        **APP,
        "app/helpers/z_helper.rb": "module ZHelper\n  def sign; end\nend\n",
        "lib/more.rb": "module More\n  def extra; end\nend\n",
        "app/controllers/posts_controller.rb": (
            "class PostsController < ApplicationController\n  helper More\nend\n"
        ),
        SHOW: "<%= sign %><%= extra %>",
        "app/views/posts/show.html.erb": "<%= sign %><%= extra %>",
    }
    assert told(files, SHOW) == {"<module>": {"ZHelper.sign"}}
    assert told(files, "app/views/posts/show.html.erb") == {
        "<module>": {"ZHelper.sign", "More.extra"}
    }


def test_controllers_lend_methods_and_variables(told) -> None:
    files = {
        **APP,
        "app/controllers/admin/users_controller.rb": (
            "module Admin\n  class UsersController < ApplicationController\n"
            "    helper_method :rights\n    def show; @user = 1; end\n    def rights; end\n"
            "  end\nend\n"
        ),
        SHOW: "<%= @user.admin? if current_user.full_name %><%= rights %>",
        "app/views/users/index.html.erb": "<% @users.each do |it| %><%= it.full_name %><% end %>",
        "app/views/admin/users/show.html.erb": (
            "<%= @user.admin? %><%= controller.rights || rights %>"
        ),
    }
    lent = "ApplicationController.current_user"
    assert told(files, SHOW) == {"<module>": {"User.admin?", "User.full_name", lent}}
    assert told(files, "app/views/users/index.html.erb") == {"<module>": {"User.full_name"}}
    assert told(files, "app/views/admin/users/show.html.erb") == {
        "<module>": {"Admin.UsersController.rights"}
    }


def test_helpers_read_the_variables_of_the_controller(told) -> None:
    files = {
        **APP,
        "app/helpers/users_helper.rb": (
            "module UsersHelper\n  def title; @user.full_name; end\nend\n"
        ),
        SHOW: "<%= title %>",
    }
    assert told(files, "app/helpers/users_helper.rb") == {"UsersHelper.title": {"User.full_name"}}


@pytest.mark.parametrize(
    "call",
    [
        'render "row", person: @user',
        'render partial: "row", locals: { person: @user }',
        'render(:partial => "row", :locals => {:person => @user})',
        'render partial: "users/row", object: @user, as: :person',
        'render partial: "row", collection: User.all, as: :person',
        'render "users/row", { person: @user }',
    ],
)
def test_partials_are_given_variables(told, call: str) -> None:
    files = {
        **APP,
        SHOW: f"<%= {call} %>",
        "app/views/users/_row.html.erb": "<%= person.full_name %>",
    }
    assert told(files, "app/views/users/_row.html.erb") == {"<module>": {"User.full_name"}}
    assert told(files, SHOW) == {"<module>": {"<module>"}}


@pytest.mark.parametrize(
    "call",
    ['render "user", user: @user', "render @user", "render User.all", "render partial: @user",
     'render partial: "user", object: @user', "render current_user"],
)  # fmt: skip
def test_partials_have_the_object_under_their_own_name(told, call: str) -> None:
    partial = "app/views/users/_user.html.erb"
    files = {**APP, SHOW: f"<%= {call} %>", partial: "<%= user.full_name %>"}
    assert told(files, partial) == {"<module>": {"User.full_name"}}
    assert "<module>" in told(files, SHOW)["<module>"]


def test_a_partials_own_name_is_no_helper(told) -> None:
    partial = "app/views/users/_icon.html.erb"
    declared = "<%# locals: (sign: nil) -%>\n<%= icon %><%= sign %>"
    assert told({**APP, partial: declared}, partial) == {}


def test_a_partial_in_another_directory_runs_on_who_renders_it(told) -> None:
    files = {
        **APP,
        "app/views/shared/_name.html.erb": "<%= @user.full_name %><%= icon %>",
        "app/views/shared/_name.text.erb": "<%= @user.admin? %>",
        SHOW: '<%= render "shared/name" %>',
    }
    assert told(files, "app/views/shared/_name.html.erb") == {
        "<module>": {"User.full_name", "UsersHelper.icon"}
    }
    assert told(files, SHOW) == {"<module>": {"<module>"}}


def test_mailers_have_templates_too(told) -> None:
    files = {
        **APP,
        "app/mailers/user_mailer.rb": (
            "class UserMailer < ApplicationMailer\n"
            "  def welcome(id) @user = User.find(id); end\nend\n"
        ),
        "app/views/user_mailer/welcome.text.erb": "<%= @user.full_name %>",
    }
    assert told(files, "app/views/user_mailer/welcome.text.erb") == {"<module>": {"User.full_name"}}
    assert told(files, "app/mailers/user_mailer.rb") == {"UserMailer.welcome": {"<module>"}}


def test_what_is_written_is_asked_for_a_text(told) -> None:
    files = {
        "app/models/user.rb": "class User < ApplicationRecord\n  def to_s; end\nend\n",
        **CONTROLLERS,
        SHOW: "<% @user %><%# @user %>",
        "app/views/users/edit.html.erb": "<%= @user %>",
    }
    assert told(files, SHOW) == {}
    assert told(files, "app/views/users/edit.html.erb") == {"<module>": {"User.to_s"}}


def test_applications_in_one_repository_have_helpers_of_their_own(told) -> None:
    files = {
        f"{app}/app/{path}": text
        for app in ("shop", "blog")
        for path, text in {
            "helpers/application_helper.rb": "module ApplicationHelper\n  def title; end\nend\n",
            "views/pages/show.html.erb": "<%= title %>",
        }.items()
    }
    assert told(files, "shop/app/views/pages/show.html.erb") == {
        "<module>": {"ApplicationHelper.title"}
    }


def test_two_applications_may_have_a_controller_of_one_name(told) -> None:
    files = {
        f"{app}/app/{path}": text
        for app in ("shop", "blog")
        for path, text in {
            "controllers/pages_controller.rb": (
                "class PagesController < ActionController::Base\nend\n"
            ),
            f"helpers/{app}_helper.rb": f"module {app.title()}Helper\n  def title; end\nend\n",
            "views/pages/show.html.erb": "<%= title %>",
        }.items()
    }
    for app in ("shop", "blog"):
        assert told(files, f"{app}/app/views/pages/show.html.erb") == {
            "<module>": {f"{app.title()}Helper.title"}
        }


def test_controllers_and_presenters_may_ask_a_view(told) -> None:
    asking = "app/controllers/posts_controller.rb"
    files = {
        **APP,
        asking: (
            "class PostsController < ApplicationController\n"
            "  def show; helpers.icon; Shown.new(view_context).go; end\nend\n"
            "class Shown\n  def initialize(view) @view = view; end\n"
            "  def go; @view.sign; end\nend\n"
        ),
        "app/views/posts/show.html.erb": "",
    }
    found = told(files, asking)
    assert "UsersHelper.icon" in found["PostsController.show"]
    assert found["Shown.go"] == {"UsersHelper.sign"}


def test_components_are_objects_with_a_template(told) -> None:
    ruby, template = "app/components/card_component.rb", "app/components/card_component.html.erb"
    files = {
        **APP,
        ruby: (
            "class CardComponent < ViewComponent::Base\n  def initialize(user:) @user = user; end\n"
            "  def before_render; end\n  def title; end\n  def other; end\nend\n"
        ),
        template: "<%= title %><%= @user.full_name %><%= helpers.icon %>",
        SHOW: "<%= render CardComponent.new(user: @user) %>",
    }
    assert told(files, template) == {
        "<module>": {"CardComponent.title", "User.full_name", "UsersHelper.icon"}
    }
    new = "CardComponent.initialize"
    assert told(files, SHOW) == {"<module>": {new, "CardComponent.before_render", "<module>"}}
    sidecar = "app/components/card_component/card_component.html.erb"
    files[sidecar] = files.pop(template)
    assert "CardComponent.title" in told(files, sidecar)["<module>"]


def test_sinatra_fills_in_templates_on_the_app(told) -> None:
    app, index = "lib/site.rb", "lib/views/index.erb"
    files = {
        app: (
            "require 'sinatra/base'\nclass Site < Sinatra::Base\n"
            "  helpers do\n    def title; end\n  end\n  def menu; end\n"
            "  get('/') do\n    @user = User.new\n"
            "    erb :index, locals: { guest: User.new }\n  end\n"
            "end\nclass User\n  def full_name; end\n  def admin?; end\nend\n"
            "class Plain\n  def go; erb :index; end\nend\n"
        ),
        index: "<%= title %><%= guest.admin? %><%= @user.full_name %>",
        "lib/views/layout.erb": "<%= menu %><%= yield %>",
        "other/views/index.erb": "<%= title %>",
    }
    assert told(files, index) == {"<module>": {"Site.title", "User.admin?", "User.full_name"}}
    assert told(files, "lib/views/layout.erb") == {"<module>": {"Site.menu"}}
    assert told(files, "other/views/index.erb") == {}
    assert "<module>" in told(files, app)["<module>"]


def test_sinatra_without_a_class(told) -> None:
    files = {
        "app.rb": (
            "require 'sinatra'\nhelpers do\n  def title; end\nend\nget '/' do\n  erb :home\nend\n"
        ),
        "views/home.erb": "<%= title %>",
    }
    assert told(files, "views/home.erb") == {"<module>": {"title"}}
    assert told(files, "app.rb") == {"<module>": {"<module>"}}


def test_an_index_follows_templates(project: Project) -> None:
    for path, text in APP.items():
        project.write(path, text)
    project.index("ruby")
    assert project.callers("UsersHelper.icon") == []
    project.write(SHOW, "<p>\n\n<%= icon %>\n")
    stats = project.index("ruby")
    assert "files_not_read" not in stats or not stats["files_not_read"]
    assert project.callers("UsersHelper.icon") == [f"{SHOW}::<module>"]
    context = project.call("get_function_context", function_name="UsersHelper.icon", max_depth=2)
    callers = context["context"]["callers"]
    assert [(it["file"], it["name"], it["depth"]) for it in callers] == [
        (SHOW, "<module>", 1), ("app/controllers/users_controller.rb", "UsersController.show", 2)
    ]  # fmt: skip
    assert callers[0]["call_lines"] == [3]
    found = CliRunner().invoke(commands, ["impact", SHOW, "--json"], obj=project.context)
    affected = json.loads(found.output)["affected"]
    assert [it["name"] for it in affected] == ["UsersController.show"]
    (project.root / SHOW).unlink()
    project.index("ruby")
    assert project.callers("UsersHelper.icon") == []
