// Package cli is the command line of those who publish: each of its [Commands] is a client of one server, through the API alone.
//
// A command remembers two things. `.sandlot/project.json`, beside the work, says which project the work is, at which server; it may
// be shared, and never holds a key. The keys are in a file of their own in the user's folder of settings. A key goes to the server
// that it is kept for, and never follows a redirect.
//
// Texts of a server, and files of a folder that somebody else may have made, are not trusted: see clean, readPlace and connect.
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

// Commands are the commands, as the parser of the command line reads them. Each one's Run is given a context and the *Env.
type Commands struct {
	Login    loginCommand    `cmd:"" help:"Keep a key, read from standard input, for later commands."`
	Publish  publishCommand  `cmd:"" help:"Publish a file, or make the project exactly what it is now."`
	Update   updateCommand   `cmd:"" help:"Put a file into the project, without touching others."`
	Rm       rmCommand       `cmd:"" name:"rm" help:"Delete a file of the project."`
	Status   statusCommand   `cmd:"" help:"Show the project, and what differs here from it."`
	Stats    statsCommand    `cmd:"" help:"Show who plays, and how often it was played and liked."`
	Versions versionsCommand `cmd:"" help:"List the project's versions."`
	Restore  restoreCommand  `cmd:"" help:"Make a version with the files of an older one."`
	Whoami   whoamiCommand   `cmd:"" help:"Show the account that the key stands for, and its projects."`
	Export   exportCommand   `cmd:"" help:"Save everything that the key covers as a ZIP."`
	Import   importCommand   `cmd:"" help:"Bring the projects of an export into your account."`
	OpenPage openPageCommand `cmd:"" name:"open" help:"Print the project's URL, and open it in a browser."`
}

// An Env is what a command may use of the process around it.
type Env struct {
	Args     []string // of the whole command line
	In       io.Reader
	Out, Err io.Writer
	Lookup   func(name string) (value string, ok bool) // finds a variable
	Config   func() (string, error)                    // the user's folder of settings
	HTTP     http.RoundTripper
	Random   func() string // a name that nobody else has
	Wait     func(ctx context.Context, d time.Duration) error
	Browse   func(ctx context.Context, address string) error // opens an http or https URL
	saying   sync.Mutex
	printed  bool // whether an answer is on Out
}

// NewEnv is the Env of this process, but for what the command line decides.
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
	// A connection that died without a word is not kept for the next try.
	t.HTTP2 = &http.HTTP2Config{SendPingTimeout: dialWait, PingTimeout: dialWait}
	return t
}

// The variables that are settings of these commands, and of no server.
const (
	serverVariable = "SANDLOT_SERVER"
	keyVariable    = "SANDLOT_KEY"
)

// placeholderServer stands for the address of a server where only the reader knows it.
const placeholderServer = "<https://play.example.com>"

// Variables are the names of the variables that these commands read.
func Variables() []string { return []string{serverVariable, keyVariable} }
