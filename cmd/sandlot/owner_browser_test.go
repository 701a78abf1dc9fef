package main

import (
	"bytes"
	"context"
	"fmt"
	"image"
	"image/color"
	"image/png"
	"net/http"
	"testing"

	"sandlot/internal/testkit/expect"
	"sandlot/internal/testkit/testenv"
)

// An owner has a project that an agent published for them, and makes it their own.
type owner struct {
	*maker
	handle string
}

// TestAnOwnersWalk takes over what an agent published: confirms, says what it is, gives it a picture, says who one is, hides the
// project, shows it again, deletes it and takes it back; and by each sees what others see of it.
func TestAnOwnersWalk(t *testing.T) {
	testenv.Unraced(t)
	t.Parallel()
	s := testenv.Start(t, testenv.Binary(t), "--quarantine", "on")
	outer := t // the browser ends with it
	var chromium context.Context
	for _, v := range strolls(stroll{look: desktop("dark"), keys: true}) {
		if v.blocked {
			continue // no page of an owner has a frame of another site
		}
		t.Run(v.name(), func(t *testing.T) {
			o := &owner{maker: newMaker(t, s, chromiumOf(outer, &chromium), v, "Harbor Lights")}
			for _, leg := range []func(){o.begins, o.confirms, o.isLedTo, o.describes, o.pictures, o.tells, o.hides, o.deletes, o.leaves} {
				leg()
				o.quiet()
				o.guest.quiet()
			}
		})
	}
}

// begins is what the agent does.
func (o *owner) begins() {
	status, made := call(o.t, o.s, "POST", "/v1/publish", signUp(o.t, o.s), map[string]any{"content": []byte(gameOf(o.title)), "title": o.title, "email": o.address})
	if status != http.StatusCreated {
		o.t.Fatalf("publish: %d %v", status, made)
	}
	o.id, o.url, o.handle = made["project_id"].(string), made["url"].(string), made["handle"].(string)
}

// isLedTo is led from the confirmation through the log-in to where the project is managed, and from there to its page and back.
func (o *owner) isLedTo() {
	o.logsIn()
	o.presses("View page")
	o.at("/p/" + o.id)
	o.sees("This is your project")
	o.presses("Manage")
	o.at("/account/projects/" + o.id)
}

// describes gives it another title, a description and tags.
func (o *owner) describes() {
	o.title = "Harbor at Night " + o.name()
	o.types("Title", o.title)
	o.types("Description", "Bring every boat home before dawn.")
	o.types("Tags", "boats, "+o.name())
	o.presses("Save")
	o.sees("Saved.")
	o.guest.goes("/p/" + o.id)
	o.guest.spots("h1", o.title)
	o.guest.sees("Bring every boat home before dawn.")
	o.guest.lacks("This is your project")
	o.guest.goes("/tag/" + o.name())
	o.guest.sees(o.title)
}

// sea is a picture of so many pixels.
func (o *owner) sea(width, height int) string {
	img := image.NewRGBA(image.Rect(0, 0, width, height))
	for i := range img.Pix {
		img.Pix[i] = []byte{0, byte(i / width / 4), 160, 255}[i%4]
	}
	img.Set(0, 0, color.White)
	var out bytes.Buffer
	expect.OK(o.t, png.Encode(&out, img))
	return written(o.t, o.folder, fmt.Sprintf("sea-%d.png", width), out.String())
}

// pictures gives it a cover, after a file that is none.
func (o *owner) pictures() {
	o.presses("Cover")
	o.at("/account/projects/" + o.id + "/cover")
	o.chooses("Picture", written(o.t, o.folder, "sea.png", "a sea"))
	o.presses("Upload")
	o.sees("That isn’t a picture. Choose a PNG, JPEG or WebP file.")
	o.quiet("status of 422")
	o.chooses("Picture", o.sea(1280, 720))
	o.presses("Upload")
	o.sees("You uploaded this picture.")
	o.guest.goes("/p/" + o.id)
	o.guest.awaits("the page shows it", `document.querySelector('.poster img.cover:not(.behind)')?.currentSrc.includes('/i/') && document.querySelector('.poster img.cover:not(.behind)').naturalWidth > 0`)
}

// tells types the person's address.
func (o *owner) tells() {
	o.presses("Settings")
	o.at("/account/settings")
	o.types("About you", "Boats, mostly.")
	o.types("Link", "javascript:alert(1)")
	o.presses("Save")
	o.sees("That link doesn’t work here.")
	o.quiet("status of 422")
	o.types("Link", "https://boats.example/me")
	o.presses("Save")
	o.sees("Your profile was saved.")
	o.presses("Change picture")
	o.at("/account/settings/portrait")
	o.chooses("Picture", o.sea(400, 400))
	o.presses("Upload")
	o.awaits("it is there", `document.querySelector('main .person img')?.naturalWidth > 0`)
	o.guest.goes("/@" + o.handle)
	o.guest.sees("Boats, mostly.", "boats.example", "1 project")
	o.guest.awaits("so others see it, and the link vouches for nothing", `document.querySelector('.person img').naturalWidth > 0 && document.querySelector('.person-link a').rel.includes('nofollow')`)
}

// hides takes it out of all lists, and shows it again.
func (o *owner) hides() {
	const choice = "Show it in the gallery and on my profile"
	shown := func(yes bool) {
		o.goes("/account/projects/" + o.id)
		if o.person.keys {
			o.reaches(choice)
			o.strikes("Space")
		} else {
			o.presses(choice)
		}
		o.awaits("it is chosen", fmt.Sprintf(`document.querySelector('[name=listed]').checked === %v`, yes))
		o.presses("Save")
		o.sees("Saved.")
	}
	shown(false)
	o.goes("/p/" + o.id)
	o.sees("Hidden from the gallery: only people with the link find it")
	o.guest.until("the profile is without it, which is kept for a second", func() bool {
		o.guest.goes("/@" + o.handle)
		gone := false
		return o.guest.ask(fmt.Sprintf(`!document.body.innerText.includes(%q)`, o.title), &gone) == nil && gone
	})
	o.guest.goes("/p/" + o.id)
	o.guest.spots("h1", o.title)
	shown(true)
	o.guest.goes("/@" + o.handle)
	o.guest.sees(o.title)
}

// deletes it, which asks for its name, and takes it back with all that it had.
func (o *owner) deletes() {
	o.presses("Delete this project…")
	o.at("/account/projects/" + o.id + "/delete")
	o.types("To confirm, type", "something else")
	o.presses("Delete project")
	o.sees("That isn’t the project’s ID. Nothing was deleted.")
	o.quiet("status of 422")
	o.types("To confirm, type", o.id)
	o.presses("Delete project")
	o.at("/account")
	o.sees("was deleted. You can take it back until", "Gone for good on")
	o.guest.goes("/p/" + o.id)
	o.guest.lacks(o.title)
	o.guest.quiet("status of 404")
	o.presses("Take back " + o.title)
	o.sees(o.title + " is back.")
	o.guest.goes("/p/" + o.id)
	o.guest.spots("h1", o.title)
	o.guest.awaits("its picture is back, too", `document.querySelector('.poster img.cover:not(.behind)')?.currentSrc.includes('/i/') && document.querySelector('.poster img.cover:not(.behind)').naturalWidth > 0`)
}

// leaves logs out: its page is as others see it then.
func (o *owner) leaves() {
	o.presses(o.handle)
	o.presses("Log out")
	o.at("/")
	o.goes("/p/" + o.id)
	o.spots("h1", o.title)
	o.lacks("This is your project")
}
