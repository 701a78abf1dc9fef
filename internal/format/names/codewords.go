package names

import "strings"

// codeWords are 1,024 words of a list of our own: English, in lower case, at most eight letters, easy to read aloud and
// harmless; none begins another. Their order never changes, and none is ever replaced: codes are hashed as text.
var codeWords = strings.Fields(`
	able acorn actor adapt agree ahead alarm album alert align alley allow almond alpha amber amuse anchor angle animal answer antler
	apple apron arcade arch arena artist aspen atlas atom attic audio autumn avenue awake awning axis azure backup bacon badge bagel
	baker balance ball balsa bamboo banana band banjo banner bark barn barrel basil basin basket bath baton bead beam beat begin bell
	belt bench bike birch bird biscuit bison blanket blend bloom blue boat bolt bonus book boost boot border bottle bounce bowl brain
	branch brass brave bread break breeze brick bridge bright bring broom brush bubble bucket buddy build bulb bundle bush butter
	button buzz cabin cable cactus cafe cake calm camel camera camp canal candle candy canoe canvas canyon cape card cargo carpet
	carrot cart carve castle catch cave cedar cello cement chair chalk charm chart chat cheek cheer cheese cherry chess chest chime
	chip choir chorus cinema circle circus citrus city clam claw clay clean clear clerk clever cliff climb clock cloud clover clown
	coach coast coat cobalt cocoa coconut code coffee coin comb comet comic compass cone cookie cool copper coral cork corner cotton
	couch count cove coyote crab craft crane crater crayon cream creek crew cricket crisp crown cruise crumb crystal cube curl
	curtain curve cushion cycle daily dairy daisy dance dapper dash date dawn deck delta denim depot desert desk dice dill diner dish
	dive dock dolphin dome door double dove down dozen dragon draw dream dress drift drive drop drum duck duet dune dusk dust duty
	eager eagle early earth easel east easy echo edge editor ember energy engine enjoy entry equal essay evening event exact exit
	expert extra fabric fact falcon fall family fancy farm fast feather fence ferry fiber fiddle field film filter final finch find
	first fish five flag flake flame flash flask fleet flip float flock floor fluff flute foam fold folk forest fork form fort forum
	fossil frame free fresh friend frog frost fruit fudge full funny future galaxy gallery game garage garden garlic garnet gate
	gazelle gear gecko gentle gift ginger giraffe give glad glass glide globe glove glow glue goal goat gold golf good gorge grain
	grand grape grass gravel gravy great green grid grill grin grip group grove grow guest guide guitar gulf gull habit half hall
	hammer hammock happy harbor harp hatch hawk hazel heat hedge helmet help herb herd heron hike hill hinge hippo hobby hockey
	holiday hollow holly home honey hood hoof hoop hope horse hotel house humble humor hundred hydra ibex icicle icon idea igloo
	image inch index indigo inlet insect iris iron island item ivory jacket jade jaguar jasmine jazz jeans jelly jewel jigsaw join
	joke jolly journal juice jump jungle juniper kale kayak keen keep kennel kettle kind kiosk kite kitten kiwi koala label lace
	ladder lagoon lake lamb lamp land lantern laptop lark laser lasso late latte laugh launch laurel lava lawn layer leaf lean leap
	learn legend lemon lemur lens lentil letter level lever light lilac lily lime linen lion listen little lizard llama lobby lobster
	local lodge lotus loyal lucky lunar lunch lute lynx lyric machine magic magma magnet magpie major maker mallet mango manor mantle
	maple marble march market marsh mask mast match math maze meadow meal medal melody melon member memory menu merry mesa metal
	meteor mile milk mill mimic mind mirror mitten model modern mole moment month moon morning moss motel moth motor mouse movie
	muffin museum music mustard name napkin narrow nature navy neat nebula needle nest never next nice nickel nine noble noise noodle
	noon north note novel number nutmeg oasis oboe ocean olive onion onyx opal open opera orange orbit orchard orchid order organ
	otter outdoor oval oven owner oxygen oyster pack paddle page paint palace palm panda panel paper parade parcel park parrot
	parsley party pasta paste patch path patio pave peacock pearl pebble pecan pelican pencil penguin pepper perfect phone photo
	piano picnic picture pigeon pillow pilot pine pink pint pipe pitch pixel pizza place planet plant plate play plaza plum plus
	pocket poem poet point polar polish polo pond pony pool poppy porch port potato pottery powder prairie press pretty print prism
	prize program proud puddle puffin pull pulp pumpkin pupil purple puzzle pyramid quail quartz quest quick quiet quilt quiz quote
	rabbit raccoon race radar radio radish raft rail raisin rally ramp ranch range rapid raven reach ready recipe record reef relax
	relay remote reply rescue rest rhino rhyme ribbon rice riddle ride ridge ripple rise river robin robot rocket rodeo roll roof
	room rope round rover royal ruby ruler runner rustic saddle saffron sage salad salmon salt sandal satin saucer scale scarf scene
	school science scoop scooter score scout screen scroll seal season seat second seed seven shade shadow shape share sharp sheep
	shelf shell shield shine ship shirt shoe shop shore short shower signal silk silver simple singer skate sketch skill sled sleeve
	slice slide slope small smile smooth snack snail snow soap soccer sock soda sofa soft soil solar solid solo song soon sort soup
	south space spark sparrow spell spice spin spiral splash spoon sport spot spring sprout spruce square squid stable stage stamp
	start station statue stay steam stem step stereo stew still stone stool store stork storm story stove straw stream street string
	stripe strong studio sugar suit summer sunny sunset super surf swan sweater sweet swift swim swing syrup system tablet talent
	tall tango tank tape taxi teacher team teapot tennis tent theater think three thunder ticket tiger tile time tiny tissue title
	toast today toffee token tomato topaz torch tornado total toucan tour towel tower town track tractor trade trail train trapeze
	travel tray treat tree trek trend trick trim trio trip trophy trout truck true trumpet trunk trust tuba tube tulip tuna tundra
	tunnel turnip turtle tutor twelve twin twist under union unit update upper urban useful valley value vanilla vase vault velvet
	verb verse vest video view village vine vinyl viola violet violin visitor vivid voice volcano volume vote vowel voyage wafer
	wagon walk wall walnut walrus waltz wand warm wash watch water wave weekend west whale wheat
`)
