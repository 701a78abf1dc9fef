package names

import "strings"

// phrase returns a friendly pair of words, <adjective>-<noun>, at most 21 characters.
func phrase(r Rand) string {
	return adjectives[r(len(adjectives))] + "-" + nouns[r(len(nouns))]
}

// Two lists of our own. A word is ASCII in lower case, at most ten letters, easy to read aloud and harmless in every
// pair: no bodies, peoples or beliefs, nothing with a second meaning, no colours that are also said of people, nothing
// that names or promises a bank, a carrier, an office or a shop.
var adjectives = strings.Fields(`
	able agile alert amber amused apt arctic atomic awake balmy beaming boreal brainy breezy brisk bubbly calm
	careful casual chatty cheerful chilly clever classic clear coastal cordial cosy crimson cubic curly dapper dawn
	deft dainty distant downy dynamic early earthy elated emerald epic expert faithful fancy festive fleet fluent
	flying fortunate fresh frosty funny generous gentle glad gleaming glowing good grand green handy hardy healthy
	helpful honest humble icy indigo ivory jaunty jolly joyful jubilant kind lavish learned likable linear lofty
	lucid lunar magnetic marble mellow mighty mindful misty modest mystic neat noble oaken open olive organic
	pastel peaceful peppy placid pleasant poetic polished posh prompt proud punctual quick quirky rapid ready
	relaxed rosy rustic sandy savvy scenic serene shiny silver sincere smart smooth snowy sociable solid sparkly
	spirited spruce stable stately stellar stoic sturdy summer sunny superb sunlit tactful tall thankful thrifty tidy
	topaz trim tranquil ultra upbeat useful vast verdant vital vocal wavy whole winged wise wondrous youthful zen
	zippy
`)

var nouns = strings.Fields(`
	acorn airship alcove amulet antelope apricot arcade archer arrow aspen astronaut atom avenue badger bakery
	balloon banjo basil bay beach bee berry biscuit blossom boat book brook bubble bugle button cactus candle canvas
	caravan carnival cascade cello chapter chestnut cicada clarinet cloud coast comet cookie coral cottage coyote
	crater cricket crystal cycle daffodil daisy desert diamond dolphin dragon dune echo egret elm emu easel
	feather ferret festival field firefly flamingo forest fox garden garnet gecko ginger glacier glider gopher grape
	guitar hamlet harbor harp hazelnut hedgehog hill ibex igloo inlet island jacket jasmine jigsaw juniper kazoo
	kettle kite kiwi ladder lake lark laurel lemur leopard library lily lizard lobster lotus magnet magpie mammoth
	maraca marmot meadow meteor minnow mirror monsoon moose moth museum nebula nest notebook oak oboe ocelot octopus
	orbit orchid oriole ostrich owl pagoda palm panther parade parsley pebble penguin pepper pheasant picnic pilot
	planet platypus poem pony poppy potato prism pumpkin pyramid quartz rabbit raft ranger reef ridge river rocket
	rowboat saffron salmon satchel scarf seahorse sequoia shore skylark sloth snowflake song sparrow spinach spoon
	sprout star stone story sundial sunset tambourine tapir teapot thistle tiger toast torch tower train tree
	trumpet tundra turnip ukulele unicorn valley village viola volcano wagon walrus wave willow wolf woodpecker
	xylophone yak zephyr
`)
