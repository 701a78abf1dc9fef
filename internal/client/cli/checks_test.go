package cli

import (
	"fmt"
	"net/http"
	"os"
	"strings"
	"testing"

	"sandlot/internal/testkit/expect"
)

func TestRegressionM09PublishPrintsWhatThePlayTesterFound(t *testing.T) {
	const id = "a-b12345"
	asked := []string{}
	server := answers(t, func(w http.ResponseWriter, r *http.Request) {
		asked = append(asked, r.Header.Get("Authorization")+" "+r.URL.String())
		if strings.HasSuffix(r.URL.Path, "/checks") {
			fmt.Fprintf(w, `{"project_id":%q,"version":1,"state":"done","checked":{"version":1,"findings":[{"code":"page_blank","message":"It was blank.","hint":"Look."}]}}`, id)
			return
		}
		w.WriteHeader(http.StatusCreated)
		fmt.Fprintf(w, `{"project_id":%q,"version":1,"url":"http://a/","api_key":%q,"project_api_key":%q,"checks":{"state":"waiting","url":"x"}}`, id, accountKeyText, projectKeyText)
	})
	d := newDesk(t, map[string]string{keyVariable: ""})
	expect.OK(t, os.WriteFile("a.html", []byte("<h1>A"), 0o600))
	expect.OK(t, (&publishCommand{Path: "a.html", Email: "k@example.org", target: target{Server: server}}).Run(t.Context(), d.Env))
	expect.Equal(t, "the last call", asked[len(asked)-1], "Bearer "+projectKeyText+" /v1/project/"+id+"/checks?wait=20")
	expect.Equal(t, "that the finding is printed", strings.Contains(d.err.String(), "warning: It was blank."), true)
}
