package web

import (
	"crypto/sha256"
	"encoding/base64"
	"encoding/xml"
	"net/http"
	"net/url"
	"time"

	"sandlot"
	"sandlot/internal/domain/gallery"
)

// A feed is RSS 2.0, with the picture of each project as Media RSS has it.
type feed struct {
	XMLName xml.Name    `xml:"rss"`
	Version string      `xml:"version,attr"`
	DC      string      `xml:"xmlns:dc,attr"`
	Media   string      `xml:"xmlns:media,attr"`
	Atom    string      `xml:"xmlns:atom,attr"`
	Channel feedChannel `xml:"channel"`
}

type feedChannel struct {
	Title       string     `xml:"title"`
	Link        string     `xml:"link"`
	Description string     `xml:"description"`
	Lang        string     `xml:"language"`
	Self        feedSelf   `xml:"atom:link"`
	Items       []feedItem `xml:"item"`
}

type feedSelf struct {
	Href string `xml:"href,attr"`
	Rel  string `xml:"rel,attr"`
	Type string `xml:"type,attr"`
}

type feedItem struct {
	Title   string       `xml:"title"`
	Link    string       `xml:"link"`
	GUID    string       `xml:"guid"`
	Date    string       `xml:"pubDate"`
	Creator string       `xml:"dc:creator"`
	Tags    []string     `xml:"category"`
	Picture *feedPicture `xml:"media:content"`
}

type feedPicture struct {
	URL    string `xml:"url,attr"`
	Medium string `xml:"medium,attr"`
	Type   string `xml:"type,attr"`
	Width  int    `xml:"width,attr"`
	Height int    `xml:"height,attr"`
}

// feed tells feed readers of the newest projects, or of those of a tag.
func (l lists) feed(v *visit) error {
	tag := v.r.PathValue("tag")
	var page gallery.Page
	var err error
	if tag == "" {
		page, err = l.gallery.Browse(v.r.Context(), v.by, gallery.SortNewest, "")
	} else {
		page, err = l.gallery.Tagged(v.r.Context(), v.by, tag, gallery.SortNewest, "")
	}
	if err != nil {
		return err
	}
	base := v.places.Base.String()
	at, title := base+"/", "Sandlot: "+v.T("gallery.feed")
	if tag != "" {
		at, title = base+"/tag/"+url.PathEscape(tag), "Sandlot: "+v.T("gallery.tagged", "tag", v.Tag(tag))
	}
	self := feedSelf{base + v.r.URL.EscapedPath(), "self", "application/rss+xml"}
	body, err := xml.Marshal(feed{
		Version: "2.0", DC: "http://purl.org/dc/elements/1.1/", Media: "http://search.yahoo.com/mrss/", Atom: "http://www.w3.org/2005/Atom",
		Channel: feedChannel{Title: title, Link: at, Description: v.T("home.description"), Lang: v.Lang, Self: self, Items: feedItems(v.places, page.Cards)},
	})
	if err != nil {
		return err
	}
	return sendFeed(v, append([]byte(xml.Header), body...), page.Cards)
}

func feedItems(places sandlot.Places, cards []gallery.Card) (items []feedItem) {
	for _, c := range cards {
		of := c.Project
		at := places.Project(of.ID, of.Version, "").Page
		item := feedItem{Title: name(of), Link: at, GUID: at, Date: of.CreatedAt.UTC().Format(time.RFC1123Z), Creator: "@" + of.Handle, Tags: of.Tags.List()}
		if of.Cover != "" {
			kind := "image/jpeg"
			if of.Cover[:1] == sandlot.PNGPicture {
				kind = "image/png"
			}
			item.Picture = &feedPicture{places.Base.String() + "/i/" + of.Cover.File(640), "image", kind, 640, 360}
		}
		items = append(items, item)
	}
	return items
}

// sendFeed answers with a feed, or says that it is as it was.
func sendFeed(v *visit, body []byte, cards []gallery.Card) error {
	sum := sha256.Sum256(body)
	h := v.w.Header()
	h.Set("Cache-Control", "public, max-age=300"+sharedFor)
	h.Set("Vary", "Accept-Language")
	h.Set("Content-Language", v.Lang)
	if len(cards) > 0 { // the newest is the first
		h.Set("Last-Modified", cards[0].Project.CreatedAt.UTC().Format(http.TimeFormat))
	}
	if v.unchanged(base64.RawURLEncoding.EncodeToString(sum[:12])) {
		return nil
	}
	return v.send("application/rss+xml; charset=utf-8", body)
}
