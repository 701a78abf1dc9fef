// Package cli holds the `sandlot` commands for publishing: each of its [Commands] is a client of one server, through
// the API alone.
//
// A command stores two things. `.sandlot/project.json`, beside the work, names its project and server; it may be
// shared, and never holds a key. The keys are in a file of their own in the user's settings folder. A key is sent only
// to the server that it is stored for, and never follows a redirect.
//
// Texts from a server, and files of a folder that may be a stranger's, are not trusted: see clean, readPlace and
// connect.
package cli

import (
	"context"
	"crypto/rand"
	"io"
	"net"
	"net/http"
	"os"
	"sync"
	"time"
)

// Commands holds the commands for the parser of the command line. Each one's Run takes the context and the *Env.
type Commands struct {
	Login    loginCommand    `cmd:"" help:"Log in through the browser, or with a key from standard input, for later commands."`
	Logout   logoutCommand   `cmd:"" help:"End the login, or remove the keys that are kept for the server."`
	Publish  publishCommand  `cmd:"" help:"Publish a file, or make the project exactly what it is now."`
	Update   updateCommand   `cmd:"" help:"Put a file into the project, without touching others."`
	Rm       rmCommand       `cmd:"" name:"rm" help:"Delete a file of the project."`
	Status   statusCommand   `cmd:"" help:"Show the project, and what differs here from it."`
	Checks   checksCommand   `cmd:"" aliases:"check" help:"Show what the play-tester saw of the project."`
	Stats    statsCommand    `cmd:"" help:"Show who plays, and how often it was played and liked."`
	Versions versionsCommand `cmd:"" help:"List the project's versions."`
	Restore  restoreCommand  `cmd:"" help:"Make a version with the files of an older one."`
	Whoami   whoamiCommand   `cmd:"" help:"Show the account that the key stands for, and its projects."`
	Export   exportCommand   `cmd:"" help:"Save everything that the key covers as a ZIP."`
	Import   importCommand   `cmd:"" help:"Bring the projects of an export into your account."`
	OpenPage openPageCommand `cmd:"" name:"open" help:"Print the project's URL, and open it in a browser."`
}

// An Env holds the parts of the process that a command may use.
type Env struct {
	Args     []string // the whole command line
	In       io.Reader
	Out, Err io.Writer
	Lookup   func(name string) (value string, ok bool) // reads a variable
	Config   func() (string, error)                    // returns the user's settings folder
	HTTP     http.RoundTripper
	Random   func() string // returns a name that nobody else has
	Wait     func(ctx context.Context, d time.Duration) error
	Browse   func(ctx context.Context, address string) error // opens an http or https URL
	saying   sync.Mutex
	printed  bool // whether an answer was printed on Out
}

// NewEnv returns the Env of this process, except for the settings on the command line.
func NewEnv(args []string, out, err io.Writer, lookup func(string) (string, bool)) *Env {
	return &Env{
		Args: args, In: os.Stdin, Out: out, Err: err, Lookup: lookup, Config: os.UserConfigDir,
		HTTP: newTransport(), Random: rand.Text, Wait: wait, Browse: browse,
	}
}

func newTransport() http.RoundTripper {
	t := http.DefaultTransport.(*http.Transport).Clone()
	t.DialContext = (&net.Dialer{Timeout: dialWait, KeepAlive: dialWait}).DialContext
	t.TLSHandshakeTimeout = dialWait
	t.MaxResponseHeaderBytes = 64 << 10 // the service sends less than 4 KiB
	// A dead connection must not be reused for the next try.
	t.HTTP2 = &http.HTTP2Config{SendPingTimeout: dialWait, PingTimeout: dialWait}
	return t
}

// The variables that configure these commands, and no server.
const (
	serverVariable = "SANDLOT_SERVER"
	keyVariable    = "SANDLOT_KEY"
)

// placeholderServer stands for a server address that only the user knows.
const placeholderServer = "<https://play.example.com>"

// Variables returns the names of the variables that these commands read.
func Variables() []string { return []string{serverVariable, keyVariable} }
