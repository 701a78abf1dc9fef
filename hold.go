package sandlot

import (
	"fmt"
	"time"
)

// Rule names the reason why a project is held.
type Rule string

// The rules of holds.
const (
	NotHeld       Rule = ""
	HeldFields    Rule = "fields"    // its pages request secrets, only lead elsewhere or hide their content, and nobody has verified the address of its account
	HeldReports   Rule = "reports"   // several networks reported it
	HeldJudge     Rule = "judge"     // the judge of the instance held it
	HeldModerator Rule = "moderator" // a moderator held it
)

// A Hold keeps a published project from all but its owner. The zero Hold holds nothing.
type Hold struct {
	Rule Rule
	At   time.Time // when it began
}

// DetailProject names the project of a refusal that its owner may object to: the appeal_url of the answer is made from it.
const DetailProject = "project_id"

// Why returns the reason of a hold by the rule, as the end of a sentence.
func (r Rule) Why() string {
	switch r {
	case HeldFields:
		return "its pages request secrets, only lead elsewhere or hide their content, and nobody has verified the email address of its account"
	case HeldReports:
		return "several people have reported it, and the operator has not looked at it yet"
	case HeldJudge:
		return "the automatic check of this service holds it until the operator has looked at it"
	}
	return "the operator holds it while they look at it"
}

// Ends returns the words that end a sentence about a hold by the rule: the event that ends it.
func (r Rule) Ends() string {
	if r == HeldFields {
		return "the verification of the email address of its account, a version that does none of it, or a decision of the operator"
	}
	return "a decision of the operator"
}

// HeldRule returns the rule of a refusal by Held, NotHeld of any other error.
func HeldRule(err error) Rule {
	e := AsError(err)
	if e == nil || e.Code != CodeHeld {
		return NotHeld
	}
	for _, d := range e.Details {
		if d.Name == "reason" {
			return Rule(fmt.Sprint(d.Value))
		}
	}
	return NotHeld
}

// Held returns the refusal of a call by others about a project that is held: CodeHeld.
func Held(p Project) error {
	return Refuse(CodeHeld, "The project %s is held back from others for now: %s.", p.ID, p.Held.Rule.Why()).
		Detail("reason", string(p.Held.Rule)).Detail(DetailProject, string(p.ID)).
		With(OpProject, Set("id", string(p.ID))).Note("If it is yours, read it with its key: the answer says what ends this.")
}
