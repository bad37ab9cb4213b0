"""Suites, cases and knowledge as they first were."""

import sqlalchemy as sa
from alembic import op

revision = "0001"
down_revision = None
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Create every table."""
    op.create_table(
        "knowledge",
        sa.Column("key", sa.Integer(), nullable=False),
        sa.Column("tenant", sa.Text(), nullable=False),
        sa.Column("kind", sa.Text(), nullable=False),
        sa.PrimaryKeyConstraint("key"),
    )
    op.create_index("ix_knowledge_tenant", "knowledge", ["tenant"], unique=False)
    op.create_table(
        "rcas",
        sa.Column("knowledge_key", sa.Integer(), nullable=False),
        sa.Column("id", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("title", sa.Text(), nullable=False),
        sa.Column("description", sa.Text(), nullable=False),
        sa.Column("defect_type", sa.Text(), nullable=False),
        sa.Column("category", sa.Text(), nullable=False),
        sa.Column("component", sa.Text(), nullable=False),
        sa.Column("affected_versions", sa.Text(), nullable=False),
        sa.Column("evidence_refs", sa.Text(), nullable=False),
        sa.Column("convergence_score", sa.Float(precision=53), nullable=False),
        sa.Column("jira_ticket_id", sa.Text(), nullable=False),
        sa.Column("jira_link", sa.Text(), nullable=False),
        sa.Column("status", sa.Text(), nullable=False),
        sa.Column("created_at", sa.Text(), nullable=False),
        sa.Column("resolved_at", sa.Text(), nullable=False),
        sa.Column("verified_at", sa.Text(), nullable=False),
        sa.Column("archived_at", sa.Text(), nullable=False),
        sa.ForeignKeyConstraint(
            ["knowledge_key"],
            ["knowledge.key"],
        ),
        sa.PrimaryKeyConstraint("knowledge_key", "id"),
    )
    op.create_table(
        "suites",
        sa.Column("key", sa.Integer(), nullable=False),
        sa.Column("tenant", sa.Text(), nullable=False),
        sa.Column("number", sa.Integer(), nullable=False),
        sa.Column("knowledge_key", sa.Integer(), nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("description", sa.Text(), nullable=False),
        sa.Column("status", sa.Text(), nullable=False),
        sa.Column("created_at", sa.Text(), nullable=False),
        sa.Column("closed_at", sa.Text(), nullable=False),
        sa.Column("surroundings", sa.Text(), nullable=False),
        sa.Column("turn", sa.Integer(), nullable=False),
        sa.Column("scenario", sa.Text(), nullable=False),
        sa.ForeignKeyConstraint(
            ["knowledge_key"],
            ["knowledge.key"],
        ),
        sa.PrimaryKeyConstraint("key"),
        sa.UniqueConstraint("tenant", "number"),
        sa.UniqueConstraint("tenant", "turn"),
    )
    op.create_table(
        "symptom_rcas",
        sa.Column("knowledge_key", sa.Integer(), nullable=False),
        sa.Column("id", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("symptom_id", sa.Integer(), nullable=False),
        sa.Column("rca_id", sa.Integer(), nullable=False),
        sa.Column("confidence", sa.Float(precision=53), nullable=False),
        sa.Column("notes", sa.Text(), nullable=False),
        sa.Column("linked_at", sa.Text(), nullable=False),
        sa.ForeignKeyConstraint(
            ["knowledge_key"],
            ["knowledge.key"],
        ),
        sa.PrimaryKeyConstraint("knowledge_key", "id"),
        sa.UniqueConstraint("knowledge_key", "symptom_id", "rca_id"),
    )
    op.create_table(
        "symptoms",
        sa.Column("knowledge_key", sa.Integer(), nullable=False),
        sa.Column("id", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("fingerprint", sa.Text(), nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("description", sa.Text(), nullable=False),
        sa.Column("error_pattern", sa.Text(), nullable=False),
        sa.Column("test_name_pattern", sa.Text(), nullable=False),
        sa.Column("component", sa.Text(), nullable=False),
        sa.Column("severity", sa.Text(), nullable=False),
        sa.Column("first_seen_at", sa.Text(), nullable=False),
        sa.Column("last_seen_at", sa.Text(), nullable=False),
        sa.Column("occurrence_count", sa.Integer(), nullable=False),
        sa.Column("status", sa.Text(), nullable=False),
        sa.ForeignKeyConstraint(
            ["knowledge_key"],
            ["knowledge.key"],
        ),
        sa.PrimaryKeyConstraint("knowledge_key", "id"),
        sa.UniqueConstraint("knowledge_key", "fingerprint"),
    )
    op.create_index("ix_symptoms_name", "symptoms", ["name"], unique=False)
    op.create_table(
        "cases",
        sa.Column("suite_key", sa.Integer(), nullable=False),
        sa.Column("id", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("label", sa.Text(), nullable=False),
        sa.Column("job_id", sa.Integer(), nullable=False),
        sa.Column("launch_id", sa.Integer(), nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("status", sa.Text(), nullable=False),
        sa.Column("symptom_id", sa.Integer(), nullable=False),
        sa.Column("rca_id", sa.Integer(), nullable=False),
        sa.Column("error_message", sa.Text(), nullable=False),
        sa.Column("log_snippet", sa.Text(), nullable=False),
        sa.Column("log_truncated", sa.Boolean(), nullable=False),
        sa.Column("siblings", sa.Text(), nullable=False),
        sa.Column("created_at", sa.Text(), nullable=False),
        sa.Column("updated_at", sa.Text(), nullable=False),
        sa.Column("current_step", sa.Text(), nullable=False),
        sa.Column("run_status", sa.Text(), nullable=False),
        sa.Column("investigate_loops", sa.Integer(), nullable=False),
        sa.Column("reassess_loops", sa.Integer(), nullable=False),
        sa.Column("steps_taken", sa.Integer(), nullable=False),
        sa.Column("prompt_bytes", sa.Integer(), nullable=False),
        sa.Column("result", sa.Text(), nullable=False),
        sa.ForeignKeyConstraint(
            ["suite_key"],
            ["suites.key"],
        ),
        sa.PrimaryKeyConstraint("suite_key", "id"),
        sa.UniqueConstraint("suite_key", "label"),
    )
    op.create_table(
        "jobs",
        sa.Column("suite_key", sa.Integer(), nullable=False),
        sa.Column("id", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("launch_id", sa.Integer(), nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("status", sa.Text(), nullable=False),
        sa.ForeignKeyConstraint(
            ["suite_key"],
            ["suites.key"],
        ),
        sa.PrimaryKeyConstraint("suite_key", "id"),
    )
    op.create_table(
        "launches",
        sa.Column("suite_key", sa.Integer(), nullable=False),
        sa.Column("id", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("pipeline_id", sa.Integer(), nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("status", sa.Text(), nullable=False),
        sa.Column("run_id", sa.Text(), nullable=False),
        sa.ForeignKeyConstraint(
            ["suite_key"],
            ["suites.key"],
        ),
        sa.PrimaryKeyConstraint("suite_key", "id"),
    )
    op.create_table(
        "pipelines",
        sa.Column("suite_key", sa.Integer(), nullable=False),
        sa.Column("id", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("version_id", sa.Integer(), nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("status", sa.Text(), nullable=False),
        sa.ForeignKeyConstraint(
            ["suite_key"],
            ["suites.key"],
        ),
        sa.PrimaryKeyConstraint("suite_key", "id"),
    )
    op.create_table(
        "triages",
        sa.Column("suite_key", sa.Integer(), nullable=False),
        sa.Column("id", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("case_id", sa.Integer(), nullable=False),
        sa.Column("symptom_category", sa.Text(), nullable=False),
        sa.Column("severity", sa.Text(), nullable=False),
        sa.Column("defect_type_hypothesis", sa.Text(), nullable=False),
        sa.Column("skip_investigation", sa.Boolean(), nullable=False),
        sa.Column("clock_skew_suspected", sa.Boolean(), nullable=False),
        sa.Column("cascade_suspected", sa.Boolean(), nullable=False),
        sa.Column("data_quality_notes", sa.Text(), nullable=False),
        sa.Column("created_at", sa.Text(), nullable=False),
        sa.ForeignKeyConstraint(
            ["suite_key"],
            ["suites.key"],
        ),
        sa.PrimaryKeyConstraint("suite_key", "id"),
        sa.UniqueConstraint("suite_key", "case_id"),
    )
    op.create_table(
        "versions",
        sa.Column("suite_key", sa.Integer(), nullable=False),
        sa.Column("id", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("label", sa.Text(), nullable=False),
        sa.Column("ocp_build", sa.Text(), nullable=False),
        sa.ForeignKeyConstraint(
            ["suite_key"],
            ["suites.key"],
        ),
        sa.PrimaryKeyConstraint("suite_key", "id"),
        sa.UniqueConstraint("suite_key", "label"),
    )
    op.create_index("ix_cases_causes", "cases", ["suite_key", "rca_id", "id"], unique=False)
    op.create_table(
        "submissions",
        sa.Column("suite_key", sa.Integer(), nullable=False),
        sa.Column("case_id", sa.Integer(), nullable=False),
        sa.Column("position", sa.Integer(), nullable=False),
        sa.Column("step", sa.Text(), nullable=False),
        sa.Column("artifact", sa.Text(), nullable=False),
        sa.Column("heuristic_id", sa.Text(), nullable=False),
        sa.Column("decision", sa.Text(), nullable=False),
        sa.Column("next_step", sa.Text(), nullable=False),
        sa.Column("prompt_bytes", sa.Integer(), nullable=False),
        sa.Column("submitted_at", sa.Text(), nullable=False),
        sa.ForeignKeyConstraint(
            ["suite_key", "case_id"],
            ["cases.suite_key", "cases.id"],
        ),
        sa.PrimaryKeyConstraint("suite_key", "case_id", "position"),
    )


def downgrade() -> None:
    """Drop every table."""
    for table in (
        "submissions",
        "versions",
        "triages",
        "pipelines",
        "launches",
        "jobs",
        "cases",
        "symptoms",
        "symptom_rcas",
        "suites",
        "rcas",
        "knowledge",
    ):
        op.drop_table(table)
