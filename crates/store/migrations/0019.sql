-- Where a page in the trash stood: its floor's number and its version, so that some pages of an item are read in order without the
-- others. Null: an older program kept it.
ALTER TABLE trash_row ADD COLUMN floor_no INT;
ALTER TABLE trash_row ADD COLUMN version INT;
CREATE INDEX trash_page_in_order ON trash_row (account_id, session_row, trash_id, floor_no, version, number) WHERE table_no = 2;
