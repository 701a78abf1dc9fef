package mediatype

// kind is one row of the table.
type kind struct {
	name  string
	dense bool // compressed already
	build bool // written by engines also as ".gz", to be unpacked by the browser
}

// types is keyed by extension. The names are IANA's if it has one; the text types without one (shaders, level formats)
// are text/plain.
var types = map[string]kind{
	// Pages and code. JavaScript's type is RFC 9239's; WebAssembly's must be
	// exactly this one, or browsers refuse to compile it while it streams.
	"html": {name: "text/html", build: true},
	"htm":  {name: "text/html", build: true},
	"css":  {name: "text/css", build: true},
	"js":   {name: "text/javascript", build: true},
	"mjs":  {name: "text/javascript", build: true},
	"wasm": {name: "application/wasm", build: true},

	// Data. JSON is UTF-8 by definition and has no charset; XML declares its own.
	"json":        {name: "application/json"},
	"map":         {name: "application/json"},
	"jsonl":       {name: "application/jsonl"},
	"webmanifest": {name: "application/manifest+json"},
	"xml":         {name: "application/xml"},
	"tmx":         {name: "application/xml"},
	"tsx":         {name: "application/xml"}, // a Tiled tile set; the other tsx is compiled before it is published
	"csv":         {name: "text/csv"},
	"tsv":         {name: "text/tab-separated-values"},
	"bin":         {name: "application/octet-stream"},
	"dat":         {name: "application/octet-stream"},
	"data":        {name: "application/octet-stream", build: true},
	"mem":         {name: "application/octet-stream", build: true},
	"pck":         {name: "application/octet-stream", build: true},

	// Text.
	"txt":   {name: "text/plain"},
	"md":    {name: "text/markdown"},
	"vtt":   {name: "text/vtt"},
	"srt":   {name: "text/plain"},
	"yaml":  {name: "text/plain"},
	"yml":   {name: "text/plain"},
	"toml":  {name: "text/plain"},
	"ini":   {name: "text/plain"},
	"glsl":  {name: "text/plain"},
	"vert":  {name: "text/plain"},
	"frag":  {name: "text/plain"},
	"wgsl":  {name: "text/plain"},
	"atlas": {name: "text/plain"},
	"fnt":   {name: "text/plain"},
	"obj":   {name: "text/plain"},
	"mtl":   {name: "text/plain"},

	// Pictures.
	"svg":  {name: "image/svg+xml"},
	"bmp":  {name: "image/bmp"},
	"ico":  {name: "image/x-icon"},
	"png":  {name: "image/png", dense: true},
	"apng": {name: "image/apng", dense: true},
	"jpg":  {name: "image/jpeg", dense: true},
	"jpeg": {name: "image/jpeg", dense: true},
	"gif":  {name: "image/gif", dense: true},
	"webp": {name: "image/webp", dense: true},
	"avif": {name: "image/avif", dense: true},
	"jxl":  {name: "image/jxl", dense: true},
	"ktx2": {name: "image/ktx2", dense: true},

	// Sound and film. Players request pieces of these, and pieces come from the plain bytes only, so compressing even
	// WAV would be in vain.
	"mp3":  {name: "audio/mpeg", dense: true},
	"ogg":  {name: "audio/ogg", dense: true},
	"oga":  {name: "audio/ogg", dense: true},
	"opus": {name: "audio/ogg", dense: true},
	"wav":  {name: "audio/wav", dense: true},
	"m4a":  {name: "audio/mp4", dense: true},
	"aac":  {name: "audio/aac", dense: true},
	"flac": {name: "audio/flac", dense: true},
	"weba": {name: "audio/webm", dense: true},
	"mp4":  {name: "video/mp4", dense: true},
	"m4v":  {name: "video/mp4", dense: true},
	"webm": {name: "video/webm", dense: true},
	"ogv":  {name: "video/ogg", dense: true},
	"mov":  {name: "video/quicktime", dense: true},
	"mid":  {name: "audio/midi"},
	"midi": {name: "audio/midi"},

	// Fonts.
	"ttf":   {name: "font/ttf"},
	"otf":   {name: "font/otf"},
	"woff":  {name: "font/woff", dense: true},
	"woff2": {name: "font/woff2", dense: true},

	// Models.
	"glb":  {name: "model/gltf-binary"},
	"gltf": {name: "model/gltf+json"},

	// Documents and archives.
	"pdf": {name: "application/pdf", dense: true},
	"zip": {name: "application/zip", dense: true},
	"gz":  {name: "application/gzip", dense: true},
}
