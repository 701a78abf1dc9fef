package api

import "testing"

func TestLife(t *testing.T) {
	t.Parallel()
	w := settled(t)
	w.get("/v1/whoami", w.account).wants(200)
	w.get("/v1/export", w.account).wants(200)
	w.get("/v1/project/"+w.projectID, "").wants(200)
	w.get("/v1/project/"+w.projectID, w.project).wants(200)
	w.get("/v1/project/"+w.projectID+"/stats", "").wants(200)
	w.post("/v1/delete-file", w.project, obj{"project_id": w.projectID, "filename": "logo.svg"}).wants(200)
	w.post("/v1/signup", "", obj{}).wants(201)
}
