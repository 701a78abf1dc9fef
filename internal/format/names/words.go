package names

import "strings"

// phrase returns a friendly pair of words, <adjective>-<noun>, at most 21 characters.
func phrase(r Rand) string {
	return adjectives[r(len(adjectives))] + "-" + nouns[r(len(nouns))]
}

// Two lists of our own. A word is ASCII in lower case, at most ten letters, easy to read aloud and harmless in every
// pair: no bodies, peoples or beliefs, nothing with a second meaning, no colours that are also said of people.
var adjectives = strings.Fields(`
	able active agile airy alert alpine amber ample amused ancient apt aqua arctic artful atomic autumn awake
	azure balmy basic beaming bold boreal bouncy brainy brave breezy bright brisk bronze bubbly busy calm candid
	careful caring casual cedar central charming cheerful cheery chilly chirpy civic civil classic clean clear
	clever coastal comic cordial cosmic cosy crafty crimson crisp cubic curious curly dainty dapper daring dawn
	dazzling deft deluxe digital diligent distant dizzy downy dreamy dynamic eager early earnest earthy easy
	elated elegant emerald endless epic eternal expert fabled faithful famous fancy fearless festive fine fleet
	floral fluent fluffy flying fond fortunate frank fresh friendly frosty frugal funny gallant generous genial
	gentle gifted glad gleaming global glossy glowing golden good graceful grand grateful green groovy handy happy
	hardy hazel healthy hearty helpful heroic honest hopeful humble hushed icy ideal indigo inland ivory jade
	jaunty jazzy jolly jovial joyful joyous jubilant keen kind kindly lavish leafy learned light
	likable lilac linear lively lofty loyal lucid lucky lunar magic magnetic maple marble marine mellow merry
	mighty mild mindful minty misty modern modest musical mystic natural neat nimble noble novel oaken oceanic
	open optimal orange orderly organic outer pastel patient peaceful pearly peppy perfect placid playful
	pleasant plucky poetic polar polished polite posh prime prompt proper proud prudent punctual quaint quick
	quiet quirky radiant rapid rare ready regal relaxed rosy royal ruby rustic sage sandy sapphire
	savvy scarlet scenic sensible serene sharp shiny silent silver simple sincere sleek smart smiling smooth
	snappy snowy snug sociable solar solid sonic sparkly speedy spirited splendid spruce spry stable
	starry stately steady stellar still stoic strong sturdy subtle summer sunlit sunny super superb supreme sure
	swift tactful talented tall teal thankful thorough thrifty tidal tidy tiny topaz tranquil trim tropical trusty
	truthful ultra unique upbeat upper useful valiant vast velvet verdant violet vital vivid vocal warm wavy
	welcome whole windy winged winter wise witty wondrous woodland youthful zany zen zesty zippy
`)

var nouns = strings.Fields(`
	acorn acrobat airship albatross alcove alpaca amulet anchor antelope apple apricot arbor arcade arch archer
	armadillo arrow artist aspen asteroid astronaut atlas atom aurora avenue avocado badger bagel bakery balcony
	balloon bamboo banjo barley basil basket bay bayou beach beacon bee bell berry bicycle biscuit bison blossom
	bluebird boat bobcat book boulder brook broom bubble buffalo bugle butterfly button cabin cactus camera candle
	canoe canvas canyon caravan caribou carnival carrot cascade castle cello chalk chapter cheetah chestnut
	chipmunk cicada circle clarinet cliff cloud clover coast comet compass condor cookie copper coral corner
	cottage cove coyote crane crater creek cricket crown crystal cupcake cycle cypress daffodil dahlia daisy delta
	desert dewdrop diamond dingo dolphin domino dragon drum dune eagle echo eclipse egret elk elm ember emu engine
	envelope falcon feather fern ferret ferry festival fiddle field finch firefly fjord flamingo flute forest
	fossil fox galaxy garden garlic garnet gazelle gecko geyser ginger giraffe glacier glade glider globe gopher
	granite grape grove guitar gull hamlet hammock harbor hare harp hawk hazelnut hedge hedgehog heron hill
	horizon ibex ibis igloo iguana inlet iris island ivy jacket jaguar jasmine jay jigsaw journey juniper kangaroo
	kayak kestrel kettle keyboard kite kitten kiwi koala ladder lagoon lake lantern lark lasso laurel lemon lemur
	lentil leopard letter library lighthouse lily lion lizard llama lobster locket lotus lynx magnet magnolia
	magpie mallard mammoth mango maraca marigold marmot marsh meadow melody meteor mill minnow mint mirror mitten
	monsoon moon moose mosaic moth mountain museum narwhal nebula nectar nest newt notebook nova oak
	oasis oboe ocean ocelot octagon octopus opal orbit orchard orchid origami oriole osprey ostrich otter owl
	paddle pagoda palace palm panda panther paper parade parrot parsley pear pebble pelican penguin peony pepper
	petal pheasant piano picnic pigeon pilot pine planet plateau platypus plum poem pond pony poplar poppy
	porcupine potato prairie prism puffin pumpkin puzzle pyramid quail quartz quilt rabbit radish raft
	rainbow ranger raven reef reindeer ridge ripple river robin rocket rose rowboat saddle saffron sail salmon
	sandal satchel saxophone scarf seagull seahorse seal sequoia shell shore sketch sky sled sloth snail snowflake
	sonata song spark sparrow sphere spinach spiral spoon spring sprout squirrel star starfish stone stork story
	summit sundial sunrise sunset swan tambourine tangerine tapir teacup teapot thicket thistle thunder tiger
	timber toast tomato torch toucan tower trail train treasure tree trout trumpet tulip tundra tunnel turnip
	turtle ukulele umbrella unicorn universe valley vase village vine viola violin volcano voyage wagon walnut
	walrus waterfall wave wheat willow windmill wolf wombat woodpecker wren xylophone yacht yak zebra zephyr
	zeppelin
`)
