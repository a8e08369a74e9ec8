-- The time by which expired rows were last purged, on one of the accounts: after a restart purging goes on from there, so that a clock
-- which is years ahead makes nothing old.
ALTER TABLE account ADD COLUMN purged_at INT;
