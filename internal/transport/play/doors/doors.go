// Package doors answers the calls that players' pages and programs make to their project, under /.sandlot/ on its own
// origin: saves, scores, shared values, errors and messages. A call needs no key: a player is a token in a header. Calls
// and answers are JSON, and refusals have the form of the API's.
package doors

import (
	"crypto/sha256"
	"errors"
	"log/slog"
	"net/http"
	"slices"
	"strings"

	"sandlot"
	"sandlot/internal/domain/admission"
	"sandlot/internal/domain/players"
	"sandlot/internal/domain/players/boards"
	"sandlot/internal/domain/players/faults"
)

// A Config holds the parts of a Handler, all called concurrently.
type Config struct {
	Players   *players.Service
	Boards    *boards.Service
	Faults    *faults.Service
	Admission *admission.Limits // nil: no limits
	Base      string            // the address of the service, for hints
	Log       *slog.Logger
}

// A Handler answers calls. Its methods may be called concurrently.
type Handler struct {
	Config
	bodies *admission.Slots
}

// Bounds of the bodies that are received at once: 64 MiB in all. A school class behind one address may save at once.
const (
	mostBodies, mostBodiesOf = 256, 32
	// smallBody is the largest body that takes no slot, in bytes.
	smallBody = 4 << 10
)

// New returns a Handler.
func New(c Config) *Handler {
	return &Handler{c, admission.NewSlots(mostBodiesOf, mostBodies, c.Admission.Exempt)}
}

// A Call is a request to a project.
type Call struct {
	Project sandlot.Project
	Name    string // the path below /.sandlot/, decoded
	Framed  bool   // whether the project is in the path form, in which its page has the origin "null"
}

// Has reports whether a name below /.sandlot/ belongs to this package.
func Has(name string) bool {
	first, _, _ := strings.Cut(name, "/")
	return slices.ContainsFunc(routes, func(rt route) bool { return rt.first() == first })
}

// Serve answers a call. The header of w already has the fields of every answer on that origin; Serve adds fields that
// forbid caches to keep the answer, and pages of other origins to read it.
func (h *Handler) Serve(w http.ResponseWriter, r *http.Request, c Call) {
	x := &exchange{Handler: h, Call: c, w: w, r: r, from: admission.Peer(r.RemoteAddr)}
	x.headers()
	rt, rest := find(c.Name)
	switch {
	case rt == nil:
		x.refuse(sandlot.Refuse(sandlot.CodeNotFound, "There is no call at this address.").Note("See %s for the calls.", x.documents()))
	case r.Method == http.MethodOptions:
		x.preflight(rt)
	case !fromHere(r, c.Framed):
		x.refuse(sandlot.Refuse(sandlot.CodeForeignOrigin, "Only the project's own page can make this call.").
			Note("Send it from a page of this project, or from a program that sends no Origin."))
	default:
		x.enter(rt, rest)
	}
}

// Refuse answers a call whose project was not found, or is not served.
func (h *Handler) Refuse(w http.ResponseWriter, r *http.Request, err error) {
	x := &exchange{Handler: h, w: w, r: r}
	x.headers()
	x.refuse(err)
}

// enter runs a call if admission allows its operation to the client.
func (x *exchange) enter(rt *route, rest string) {
	m := rt.method(x.r.Method)
	if m == nil {
		x.w.Header().Set("Allow", rt.allowed())
		x.refuse(sandlot.Refuse(sandlot.CodeMethodNotAllowed, "This address does not take %s.", methodShown(x.r.Method)).
			Note("It takes %s.", rt.allowed()))
		return
	}
	grant, err := x.Admission.Admit(admission.Origin{Addr: x.from}, m.operation, admission.Body{Length: x.r.ContentLength})
	if err != nil {
		x.refuse(err)
		return
	}
	defer grant.Done()
	x.rest = rest
	if err := x.make(m); err != nil {
		x.refuse(err)
	}
}

// make reads the body and the player of a call, and runs it.
func (x *exchange) make(m *method) error {
	if m.most > 0 {
		defer x.release()
		if err := x.receive(m.most); err != nil {
			return err
		}
	}
	if err := x.visit(x.r.Header.Get("X-Sandlot-Player")); err != nil {
		return err
	}
	return m.serve(x)
}

// visit sets the visit of the call with the player's token; "" is none.
func (x *exchange) visit(token string) error {
	x.v = players.Visit{Project: x.Project, From: x.from, Exempt: x.Admission.Exempt(x.from)}
	if token == "" {
		return nil
	}
	hash, ok := players.HashToken(x.Project.ID, token)
	if !ok {
		return sandlot.Refuse(sandlot.CodePlayerRequired, "The player's token is invalid.").In("player").
			Note("A token has 32 to 64 characters of A-Z, a-z, 0-9, _ and -: draw a random one, and keep it on the player's device.")
	}
	x.v.Token = hash
	return nil
}

// guess runs try, a call with a code, unless too many wrong codes came from the network.
func (x *exchange) guess(code string, try func() error) error {
	var wrong error
	err := x.Admission.Guess(admission.Origin{Addr: x.from}, sha256.Sum256([]byte(code)), func() (bool, error) {
		err := try()
		if errors.Is(err, sandlot.CodeInvalidCode) {
			wrong = err
			return false, nil
		}
		return err == nil, err
	})
	if err != nil {
		return err
	}
	return wrong
}
