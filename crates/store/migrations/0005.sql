-- A fork is a copy of the line it was made from. It shares the floors before its fork point until one of the two lines changes
-- one of them; only then it gets rows of its own, and texts are shared even then.

-- The last floor that a branch shares, by its branch and number; null: it shares none. source_floor_row, source_branch_row and
-- source_seq say what it was forked from, whatever became of that.
DROP INDEX branch_by_source;
DROP INDEX branch_by_source_branch;
ALTER TABLE branch ADD COLUMN shared_branch_row INT;
ALTER TABLE branch ADD COLUMN shared_floor_no INT;
UPDATE branch SET shared_branch_row = source_branch_row, shared_floor_no = source_branch_floor_no
    WHERE source_branch_floor_no >= 0;
UPDATE branch SET
    shared_branch_row = (SELECT f.branch_row FROM floor f WHERE f.account_id = branch.account_id
        AND f.session_row = branch.session_row AND f.floor_row = branch.source_floor_row),
    shared_floor_no = (SELECT f.floor_no FROM floor f WHERE f.account_id = branch.account_id
        AND f.session_row = branch.session_row AND f.floor_row = branch.source_floor_row)
    WHERE EXISTS (SELECT 1 FROM floor f WHERE f.account_id = branch.account_id
        AND f.session_row = branch.session_row AND f.floor_row = branch.source_floor_row);
ALTER TABLE branch DROP COLUMN source_branch_floor_no;
CREATE INDEX branch_by_source_branch ON branch (account_id, session_row, source_branch_row);
CREATE INDEX branch_by_shared ON branch (account_id, session_row, shared_branch_row, shared_floor_no);

-- Whether the session ever had a fork: most have none, and then none is looked for.
ALTER TABLE session ADD COLUMN has_forks INT NOT NULL DEFAULT 0;
UPDATE session SET has_forks = 1 WHERE EXISTS (SELECT 1 FROM branch b
    WHERE b.account_id = session.account_id AND b.session_row = session.session_row AND b.source_branch_row IS NOT NULL);

-- The page whose body holds this page's text; null: its own.
ALTER TABLE page ADD COLUMN text_row INT;
CREATE INDEX page_by_text ON page (account_id, session_row, text_row) WHERE text_row IS NOT NULL;

-- What requests have deleted, for as long as it can be restored: one item for each request and session, and its rows as they were.
CREATE TABLE trash (
    account_id  ID NOT NULL,
    id          ID NOT NULL,
    session_row INT NOT NULL,
    deleted_at  INT NOT NULL,           -- 0: it is being purged
    kind        INT NOT NULL,           -- 0 pages, 1 floors, 2 a branch, 3 what a sync removed
    floors      INT NOT NULL,
    pages       INT NOT NULL,
    PRIMARY KEY (account_id, id)
) TABLE_KIND;
CREATE INDEX trash_of_session ON trash (account_id, session_row, deleted_at, id);
CREATE INDEX trash_by_time ON trash (account_id, deleted_at, id);

CREATE TABLE trash_row (
    account_id  ID NOT NULL,
    session_row INT NOT NULL,
    trash_id    ID NOT NULL,
    number      INT NOT NULL,
    table_no    INT NOT NULL,           -- by the list in the program
    body        BYTES NOT NULL,
    PRIMARY KEY (account_id, session_row, trash_id, number)
) LARGE_TABLE_KIND;
