package lure

// The kinds of a Sign.
const (
	Password = "password"
	Card     = "card"
	Seed     = "seed"  // a recovery phrase
	Sends    = "sends" // a form whose action is on another host
)

// Sign is something in a file that requests a secret of its reader.
type Sign struct {
	Kind, File string
}

// Most is the most bytes of text that a Look reads of one version.
const Most = 4 << 20

// A Look reads the files of one version, one after another.
type Look struct {
	Own   string // the host to which a form of the project may send
	signs []Sign
	read  int
}

// Reads reports whether a file of that name can request anything: a page, a script, or a picture of text.
func Reads(name string) bool { return false }

// Read looks at a file. Text beyond Most in all is not read.
func (l *Look) Read(name string, text []byte) {}

// Signs returns the signs that were found, one of each kind.
func (l *Look) Signs() []Sign { return l.signs }
