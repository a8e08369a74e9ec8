import json, random, sys

args = json.load(sys.stdin)
dice = [random.randint(1, args["sides"]) for _ in range(args.get("count", 1))]
print(json.dumps({"dice": dice, "sum": sum(dice)}))
