"""Writes a checkpoint for every step of a chat with LangGraph's SQLite saver, and reads some of them back.

    langgraph_saver.py steps.json checkpoints.db

Prints seconds, seconds of CPU, bytes of the file and seconds for one read, as JSON.
"""

import copy
import json
import os
import sqlite3
import sys
import time

from langgraph.checkpoint.base import empty_checkpoint
from langgraph.checkpoint.sqlite import SqliteSaver

with open(sys.argv[1], encoding="utf-8") as file:
    chat = json.load(file)
state, steps = chat["template"], chat["steps"]
saver = SqliteSaver(sqlite3.connect(sys.argv[2], check_same_thread=False))
saver.setup()

config = {"configurable": {"thread_id": "chat", "checkpoint_ns": ""}}
ids = []
started, cpu = time.perf_counter(), time.process_time()
for number, step in enumerate(steps):
    for group, value, words in step:
        state[group][value] = words
    checkpoint = empty_checkpoint()
    # One channel for each group, as a graph with twenty channels would have.
    checkpoint["channel_values"] = state
    checkpoint["channel_versions"] = {group: number + 1 for group in state}
    metadata = {"source": "loop", "step": number}
    config = saver.put(config, checkpoint, metadata, checkpoint["channel_versions"])
    ids.append(config["configurable"]["checkpoint_id"])
seconds, cpu = time.perf_counter() - started, time.process_time() - cpu

looked = ids[:: max(1, len(ids) // 200)]
started = time.perf_counter()
for checkpoint_id in looked:
    place = copy.deepcopy(config)
    place["configurable"]["checkpoint_id"] = checkpoint_id
    assert saver.get_tuple(place).checkpoint["channel_values"].keys() == state.keys()
read = (time.perf_counter() - started) / len(looked)

saver.conn.execute("PRAGMA wal_checkpoint(TRUNCATE)")
saver.conn.close()
print(json.dumps({"seconds": seconds, "cpu": cpu, "bytes": os.path.getsize(sys.argv[2]), "read": read}))
