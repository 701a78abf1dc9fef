package sandlot

// Opening says who may make projects and accounts. Existing ones can be changed in any case.
type Opening string

// The openings of an instance.
const (
	OpenToAll  Opening = "on"
	OpenToKeys Opening = "keyed" // nobody gets an account by asking
	Closed     Opening = "off"
)

// The limits, in bytes, of an instance whose operator sets no other.
const (
	DefaultMaxContent = 104_857_600 // of one file in one call: the specification's 100 MB
	DefaultMaxFile    = 1 << 30     // of one file, however many calls bring it, and of all files of a call
)
