package sandlot

import "time"

// Rule names the reason why a project is held.
type Rule string

// The rules of holds.
const (
	NotHeld       Rule = ""
	HeldFields    Rule = "fields"    // its pages request secrets, and nobody has verified the address of its account
	HeldReports   Rule = "reports"   // several networks reported it
	HeldJudge     Rule = "judge"     // the judge of the instance held it
	HeldModerator Rule = "moderator" // a moderator held it
)

// A Hold keeps a published project from all but its owner. The zero Hold holds nothing.
type Hold struct {
	Rule Rule
	At   time.Time // when it began
}

// Held returns the refusal of a call by others about a project that is held: CodeHeld.
func Held(p Project) error {
	return Refuse(CodeHeld, "The project %s is held back from others for now.", p.ID).
		Detail("reason", string(p.Held.Rule)).
		With(OpProject, Set("id", string(p.ID))).Note("If it is yours, read it with its key: the answer says what ends this.")
}
