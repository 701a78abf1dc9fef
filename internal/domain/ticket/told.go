package ticket

import "sandlot/internal/domain/publish"

// Told is what a call says besides its bytes, as the client sent it: that of an update if Update is
// set, and of a publish otherwise. The fields are those of publish.UpdateInput and
// publish.PublishInput.
type Told struct {
	Update    bool             `json:",omitempty"`
	Project   string           `json:",omitempty"`
	Filename  string           `json:",omitempty"`
	Title     *string          `json:",omitempty"`
	Handle    string           `json:",omitempty"`
	Email     string           `json:",omitempty"`
	Lang      string           `json:",omitempty"`
	IfVersion *int             `json:",omitempty"`
	Declared  publish.Declared // of the file, or of the archive as it is sent
	Archive   string           `json:",omitempty"` // the format of the archive that the bytes are; empty for a file
	Replace   bool             `json:",omitempty"`
	Force     bool             `json:",omitempty"`
	Primary   string           `json:",omitempty"`
	DryRun    bool             `json:",omitempty"`

	About *publish.About `json:",omitempty"`
}

// A Call is what the bearer of a ticket may do: exactly one of Publish and Update is set. Whoever
// has the bytes adds them to it, and makes it.
type Call struct {
	Publish *publish.PublishInput
	Update  *publish.UpdateInput

	Filename string           // as it was told
	Archive  string           // the format of the archive that the bytes are, if that was told
	Declared publish.Declared // of the bytes, also where they are an archive
}

// DryRun reports whether the bytes are only to be checked.
func (c Call) DryRun() bool {
	return c.Publish != nil && c.Publish.DryRun || c.Update != nil && c.Update.DryRun
}

func (t Told) publish() publish.PublishInput {
	in := publish.PublishInput{Handle: t.Handle, Email: t.Email, Lang: t.Lang, Declared: t.Declared, Primary: t.Primary, DryRun: t.DryRun}
	if t.Title != nil {
		in.Title = *t.Title
	}
	if t.About != nil {
		in.About = *t.About
	}
	return in
}

func (t Told) update() publish.UpdateInput {
	in := publish.UpdateInput{
		Project: t.Project, Named: true, Filename: t.Filename, Title: t.Title, Email: t.Email, Lang: t.Lang, IfVersion: t.IfVersion,
		Declared: t.Declared, Replace: t.Replace, Force: t.Force, Primary: t.Primary, DryRun: t.DryRun,
	}
	if t.About != nil {
		in.About = *t.About
	}
	return in
}
