-- What pages promoted to branches: a fork reads such keys by the pages that are chosen on its line.
CREATE INDEX history_promoted ON history (account_id, session_row, scope, host_row, key, page_row) WHERE page_row IS NOT NULL;
