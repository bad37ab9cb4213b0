"""What is run by a name: tasks, management commands, command lines and hooks of plugins."""

from __future__ import annotations


def called(edges, files: dict[str, str] | str) -> set[tuple[str, str]]:
    """Pairs of caller and callee, without their files."""
    return {(one.rpartition("::")[2], other.rpartition("::")[2]) for one, other in edges(files)}


def test_tasks_and_commands_are_sent_off_by_their_names(edges) -> None:
    files = {
        "proj/tasks.py": (
            "from celery import shared_task\n"
            "@app.task\ndef add(x): pass\n@shared_task(name='mail.send', bind=True)\n"
            "def send(self): pass\ndef plain(): pass\n"
        ),
        "shop/management/commands/load.py": (
            "from django.core.management.base import BaseCommand\n"
            "class Command(BaseCommand):\n    def add_arguments(self, parser): pass\n"
            "    def handle(self): pass\n"
        ),
        "use.py": (
            "from django.core.management import call_command\n"
            "def a(app): app.send_task('mail.send')\ndef b(app): app.send_task('proj.tasks.add')\n"
            "def c(app): app.signature('proj.tasks.add').delay()\n"
            "def d(app): app.send_task('proj.tasks.plain'); app.send_task('nowhere')\n"
            "def e(): call_command('load', '--all')\ndef f(): call_command('migrate')\n"
        ),
    }
    pairs = {
        ("a", "send"),
        ("b", "add"),
        ("c", "add"),
        ("e", "Command.handle"),
        ("e", "Command.add_arguments"),
    }
    assert called(edges, files) == pairs


def test_command_lines_run_the_commands_of_groups_of_click(edges) -> None:
    found = called(
        edges,
        "import click\nfrom click.testing import CliRunner\n"
        "@click.group()\ndef cli(): pass\n@cli.command()\ndef sync_all(): pass\n"
        "@cli.command('drop')\ndef drop_command(): pass\n"
        "@click.group()\ndef db(): pass\n@db.command()\ndef up(): pass\ncli.add_command(db)\n"
        "def a(): CliRunner().invoke(cli, ['sync-all'])\n"
        "def b(): CliRunner().invoke(cli, ['--quiet', 'drop', '--yes'])\n"
        "def c(): CliRunner().invoke(cli, 'db up')\n"
        "def d(): CliRunner().invoke(cli, ['none', 'drop'])\n"
        "@click.command()\ndef alone(): pass\ndef plain(): pass\n"
        "def e(runner): runner.invoke(alone)\ndef f(runner): runner.invoke(plain, ['up'])\n",
    )
    assert found == {
        ("a", "cli"), ("b", "cli"), ("c", "cli"), ("d", "cli"),
        ("a", "sync_all"), ("b", "drop_command"), ("c", "db"), ("c", "up"), ("e", "alone"),
    }  # fmt: skip


def test_command_lines_run_the_commands_of_apps_of_typer(edges) -> None:
    found = called(
        edges,
        "import typer\nfrom typer.testing import CliRunner\n"
        "app, users, single = typer.Typer(), typer.Typer(), typer.Typer()\n"
        "app.add_typer(users, name='users')\n@app.callback()\ndef main(): pass\n"
        "@app.command()\ndef hello(): pass\n@users.command('add')\ndef create(): pass\n"
        "@single.command()\ndef only(): pass\nrunner = CliRunner()\n"
        "def a(): runner.invoke(app, ['hello', 'x'])\n"
        "def b(): runner.invoke(app, ['users', 'add', 'x'])\n"
        "def c(): runner.invoke(single, ['x'])\n",
    )
    pairs = {("a", "main"), ("a", "hello"), ("b", "main"), ("b", "create"), ("c", "only")}
    assert found == pairs


def test_a_hook_of_pluggy_runs_all_that_implement_it(edges) -> None:
    found = called(
        edges,
        {
            "plugin.py": (
                "import pluggy\nhookimpl = pluggy.HookimplMarker('eggs')\n"
                "@hookimpl\ndef add(item): pass\ndef cook(pan): pass\n"
                "class Second:\n    @hookimpl(specname='cook')\n    def other(self, pan): pass\n"
            ),
            "host.py": (
                "class Host:\n    def run(self): return self.hook.add(item=1)\n"
                "def fry(manager): manager.hook.cook(pan=1); manager.hook.none()\n"
            ),
        },
    )
    assert found == {("Host.run", "add"), ("fry", "Second.other")}
