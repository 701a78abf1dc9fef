package api

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"sandlot"
	"sandlot/internal/testkit/expect"
	"sandlot/internal/transport/intake"

	"github.com/google/go-cmp/cmp"
)

func readGuide(t *testing.T) string {
	t.Helper()
	text, err := os.ReadFile("../../../docs/api.md")
	expect.OK(t, err)
	return string(text)
}

func TestGuide(t *testing.T) {
	t.Parallel()
	guide := readGuide(t)
	t.Run("the error table is the table of codes", func(t *testing.T) {
		var have, want []string
		for line := range strings.Lines(guide) {
			cells := strings.Split(strings.TrimSpace(line), " | ")
			if len(cells) == 3 && strings.HasPrefix(cells[1], "`") && strings.HasPrefix(cells[0], "| ") {
				have = append(have, cells[0]+" | "+cells[1])
			}
		}
		have = slices.DeleteFunc(have, func(l string) bool { return l[2] < '4' || l[2] > '5' })
		for code := range sandlot.Codes {
			want = append(want, fmt.Sprintf("| %d | `%s`", intake.StatusOf(code), code))
		}
		slices.Sort(have)
		slices.Sort(want)
		if diff := cmp.Diff(want, have); diff != "" {
			t.Error(diff)
		}
	})
	t.Run("the answers outside of the codes are told, here and in the OpenAPI document", func(t *testing.T) {
		for _, text := range []string{guide, string(openapiYAML)} {
			for _, answer := range []string{"`misdirected`", "`header_too_large`", "421", "431", "414"} {
				if !strings.Contains(text, answer) {
					t.Errorf("%s is not told", answer)
				}
			}
		}
	})
	t.Run("every route has its section", func(t *testing.T) {
		for _, rt := range routes() {
			if strings.HasPrefix(rt.pattern, "/v1/") && !strings.Contains(guide, "`"+rt.method+" "+rt.pattern+"`") {
				t.Errorf("%s %s is not described", rt.method, rt.pattern)
			}
		}
	})
	t.Run("every field that is taken is named", func(t *testing.T) {
		for _, set := range []*intake.FieldSet{intake.PublishFields, intake.UpdateFields, intake.DeleteFields, intake.AmendFields, intake.BoardFields, intake.RestoreFields, intake.DeleteProjectFields, intake.SignupFields, intake.ReportFields, intake.TicketFields} {
			for _, name := range set.All() {
				if !strings.Contains(guide, "`"+name+"`") && !slices.Contains(intake.PartFields[4:], name) {
					t.Errorf("%s is not named", name)
				}
			}
		}
	})
	t.Run("every command works when pasted", func(t *testing.T) {
		w := settled(t)
		w.played(w.projectID)
		if n := len(commands(guide)); n < len(routes()) {
			t.Errorf("only %d commands are found", n)
		}
		token, ticket, upload := "", "", ""
		for _, line := range commands(guide) {
			version := fmt.Sprint(w.get("/v1/project/"+w.projectID, "").body["version"])
			line = strings.NewReplacer("<api_key>", w.account, "<project_api_key>", w.project, "<upload_token>", token, "<ticket>", ticket, "<upload_id>", upload, "sky-hopper-7k2m9p", w.projectID, "CURRENT", version, "4t8x1q7k2m", w.player()).Replace(line)
			got := w.curl(line)
			if got.status >= 300 {
				t.Errorf("%s\ngets %s", line, got.text)
			}
			if got.status == 202 && got.body["upload_token"] != nil {
				token = got.str("upload_token")
			}
			if got.str("ticket") != "" {
				ticket, upload = got.str("ticket"), got.str("upload_id")
			}
		}
	})
}

// commands lists the shell commands of a text, each on one line.
func commands(text string) (list []string) {
	shell := false
	for line := range strings.Lines(strings.ReplaceAll(text, " \\\n ", "")) {
		line = strings.TrimSuffix(line, "\n")
		switch {
		case line == "```sh":
			shell = true
		case line == "```":
			shell = false
		case shell:
			list = append(list, line)
		}
	}
	return list
}
