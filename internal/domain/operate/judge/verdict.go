package judge

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"
	"unicode"

	"sandlot"
	"sandlot/internal/format/inspect"
)

// An Answer is the decision of a judge about a version.
type Answer string

// The answers.
const (
	Pass   Answer = "pass"
	Hold   Answer = "hold"   // others do not see the project until a person decides
	Refuse Answer = "refuse" // as Hold, and a person looks at it first
)

// MaxAnswer is the most bytes of the answer of a judge, and maxReason the most characters of its reason.
const (
	MaxAnswer = 64 << 10
	maxReason = 500
)

// A Verdict is an answer with its reason, in one line of at most 500 characters.
type Verdict struct {
	Answer Answer
	Reason string
}

// Holds reports whether a verdict keeps the project from others.
func (v Verdict) Holds() bool { return v.Answer == Hold || v.Answer == Refuse }

// read returns the verdict that a judge has written as JSON. Fields that it does not know are ignored.
func read(answer []byte) (Verdict, error) {
	var said struct {
		Answer Answer `json:"answer"`
		Reason string `json:"reason"`
	}
	if err := json.Unmarshal(answer, &said); err != nil {
		return Verdict{}, errors.New("the answer is not JSON such as {\"answer\":\"pass\",\"reason\":\"\"}")
	}
	switch said.Answer {
	case Pass, Hold, Refuse:
		return Verdict{said.Answer, oneLine(said.Reason)}, nil
	}
	return Verdict{}, fmt.Errorf("the answer is %s, and not pass, hold or refuse", inspect.Quoted(string(said.Answer)))
}

// oneLine returns a text without control and formatting characters and without keys, cut to maxReason characters.
func oneLine(text string) string {
	text = strings.Map(func(r rune) rune {
		switch {
		case unicode.IsSpace(r) || unicode.IsControl(r):
			return ' '
		case unicode.Is(unicode.Cf, r):
			return -1
		}
		return r
	}, strings.ToValidUTF8(text, ""))
	runes := []rune(inspect.Redact(strings.Join(strings.Fields(text), " ")))
	return string(runes[:min(len(runes), maxReason)])
}

// A Record is the last verdict about a project.
type Record struct {
	Project sandlot.ProjectID
	Version int // the version that was judged
	Verdict
	At         time.Time
	ReversedAt time.Time // when a person reversed it; zero: nobody did
	Held       bool      // whether the project is held by the judge now
}
