extends Node2D

const SAVE_PATH := "user://save.json"

var score := 0
var level := 1
var best := 0


func _ready() -> void:
	var data = load_game()
	if data != null:
		level = int(data["level"])
		best = int(data["best"])
	run()


func run() -> void:
	for shell in 12:
		await get_tree().create_timer(0.2).timeout
		score += 10
	level += 1
	game_over()


func game_over() -> void:
	best = max(best, score)
	save_game({"level": level, "best": best})


func load_game() -> Variant:
	if not FileAccess.file_exists(SAVE_PATH):
		return null
	return JSON.parse_string(FileAccess.get_file_as_string(SAVE_PATH))


func save_game(data: Dictionary) -> void:
	var file := FileAccess.open(SAVE_PATH, FileAccess.WRITE)
	file.store_string(JSON.stringify(data))
