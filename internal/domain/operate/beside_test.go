package operate_test

import (
	"fmt"
	"sync"
	"testing"
	"time"

	"sandlot/internal/domain/operate"
	"sandlot/internal/domain/publish"
	"sandlot/internal/testkit/expect"
	"sandlot/internal/testkit/testworld"
)

// TestFault16CollectorBesidePublishes: while it collects without a pause, nothing that is published is taken.
func TestFault16CollectorBesidePublishes(t *testing.T) {
	t.Parallel()
	w := testworld.New(t)
	by := w.NewAccount()
	id := w.PublishPage(by, large).Project.ID
	c := operate.Collector{Records: w.DB.Upkeep(), Blobs: w.Blobs, Now: func() time.Time { return time.Now().Add(operate.Grace - time.Hour) }}
	stop, stopped := make(chan bool), make(chan bool)
	go func() {
		defer close(stopped)
		for {
			select {
			case <-stop:
				return
			default:
			}
			if _, err := c.Collect(t.Context()); err != nil {
				t.Errorf("collect: %v", err)
				return
			}
		}
	}()
	var writers sync.WaitGroup
	for i := range 4 {
		writers.Go(func() {
			for j := range 10 {
				name := fmt.Sprintf("%d.css", i)
				w.PutFile(by, id, name, fmt.Sprint(large, i, j))
				w.PublishPage(by, fmt.Sprint(large, i, j))
				if j%3 == 2 {
					if _, err := w.Publish.DeleteFile(t.Context(), by, publish.DeleteInput{Project: string(id), Filename: name}); err != nil {
						t.Error(err)
					}
				}
			}
		})
	}
	writers.Wait()
	close(stop)
	<-stopped
	who, err := w.Publish.Reader.Whoami(t.Context(), by, 100, "")
	if err != nil || len(who.Projects) != 41 {
		t.Fatalf("%d projects, %v", len(who.Projects), err)
	}
	for _, v := range who.Projects {
		for n := 1; n <= v.Project.Version; n++ {
			files, err := w.Publish.Contents.Files(t.Context(), v.Project.ID, n)
			expect.OK(t, err)
			for _, f := range files {
				w.Bytes(f.Blob) // fails the test if they are not there
			}
		}
	}
}
