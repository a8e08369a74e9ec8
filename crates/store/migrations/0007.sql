-- Sessions, characters, global snapshots and dropped states in the trash.

-- Items of sessions, characters and global snapshots have session_row 0 and name what they are about. A session or a character
-- stays in its table, hidden, until its item is restored or purged; a global snapshot leaves its tables.
ALTER TABLE trash ADD COLUMN subject_row INT NOT NULL DEFAULT 0;   -- its session_row or character_row
ALTER TABLE trash ADD COLUMN subject_id ID;                         -- its id before it was deleted
ALTER TABLE trash ADD COLUMN name BYTES;                            -- its title or name
ALTER TABLE trash ADD COLUMN chat_file BYTES;                       -- of a session
-- How many variables it holds. They count for the account's quota until it is restored or purged.
ALTER TABLE trash ADD COLUMN variables INT NOT NULL DEFAULT 0;
UPDATE trash SET variables = (SELECT COUNT(*) FROM trash_row r WHERE r.account_id = trash.account_id
    AND r.session_row = trash.session_row AND r.trash_id = trash.id AND r.table_no = 4);
CREATE INDEX trash_by_subject ON trash (account_id, kind, subject_row) WHERE subject_row > 0;
CREATE INDEX trash_by_subject_id ON trash (account_id, subject_id, deleted_at) WHERE subject_id IS NOT NULL;

-- Scope 5 stands for the trash.
INSERT INTO variable_total (account_id, scope, shard, total)
    SELECT account_id, 5, 0, SUM(variables) FROM trash WHERE deleted_at > 0 GROUP BY account_id;
ALTER TABLE account ADD COLUMN sessions_trashed INT NOT NULL DEFAULT 0;

-- Snapshots that were dropped, for as long as they can be restored. Their versions are kept as long.
CREATE TABLE trash_snapshot (
    account_id  ID NOT NULL,
    session_row INT NOT NULL,
    trash_id    ID NOT NULL,
    page_row    INT NOT NULL,
    id          ID NOT NULL,
    version_row INT NOT NULL,
    created_at  INT NOT NULL,
    PRIMARY KEY (account_id, session_row, trash_id, page_row)
) TABLE_KIND;

-- Lists of sessions do not read past those in the trash.
DROP INDEX session_by_change;
CREATE INDEX session_by_change ON session (account_id, updated_at, session_row) WHERE deleted_at IS NULL;

-- The branch, floor or page that a row in the trash hangs on, so that some pages of an item are read without the others; null: the
-- row is older than this column.
ALTER TABLE trash_row ADD COLUMN host_row INT;
CREATE INDEX trash_row_by_host ON trash_row (account_id, session_row, trash_id, table_no, host_row);
