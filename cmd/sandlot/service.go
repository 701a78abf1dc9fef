package main

import (
	"context"
	"crypto/rand"
	"errors"
	"io"
	"log/slog"
	"net"
	"net/http"
	"os"
	"sync"
	"time"

	"sandlot"
	"sandlot/internal/base/worker"
	"sandlot/internal/domain/account"
	"sandlot/internal/domain/account/connect"
	"sandlot/internal/domain/account/identity"
	"sandlot/internal/domain/account/oauth"
	"sandlot/internal/domain/admission"
	"sandlot/internal/domain/cover"
	"sandlot/internal/domain/gallery"
	"sandlot/internal/domain/gallery/figures"
	"sandlot/internal/domain/operate"
	"sandlot/internal/domain/operate/blocks"
	"sandlot/internal/domain/operate/desk"
	"sandlot/internal/domain/operate/listed"
	"sandlot/internal/domain/players"
	"sandlot/internal/domain/players/boards"
	"sandlot/internal/domain/players/faults"
	"sandlot/internal/domain/publish"
	"sandlot/internal/domain/publish/ticket"
	"sandlot/internal/domain/transfer"
	"sandlot/internal/domain/trial"
	"sandlot/internal/format/squeeze"
	"sandlot/internal/storage/datafolder"
	strangers "sandlot/internal/storage/foreign"
	"sandlot/internal/storage/live"
	liveredis "sandlot/internal/storage/live/redis"
	"sandlot/internal/storage/redis"
	"sandlot/internal/storage/sqlstore"
	"sandlot/internal/transport/api"
	"sandlot/internal/transport/guide"
	"sandlot/internal/transport/intake"
	oauthhttp "sandlot/internal/transport/oauth"
	"sandlot/internal/transport/play"
	"sandlot/internal/transport/play/front"
	"sandlot/internal/transport/web"
	"sandlot/internal/transport/web/brand"
	"sandlot/internal/transport/web/card"
	"sandlot/internal/transport/web/paper"
)

// An app holds all parts of the running program. It is the only place that knows which implementation stands behind an
// interface.
type app struct {
	settings settings
	places   sandlot.Places
	log      *slog.Logger
	memory   memoryPlan
	papers   paper.Papers
	brand    brand.Brand

	lock        io.Closer
	store       *sqlstore.DB
	shared      *redis.Client // shared with other nodes; nil: none
	blobs       blobs
	stores      publish.Stores
	service     *publish.Service
	blocklist   *blocks.Blocklist
	callers     *identity.Authenticator
	operate     *operate.Service
	inbox       net.Listener // of reports by SMTP; nil: none
	desk        *desk.Service
	invitations *operate.Invitations
	openID      *account.OpenID // nil: no provider
	tickets     *ticket.Service
	connect     *connect.Service
	grants      *oauth.Service
	trials      *trial.Service
	requests    *trial.Requests
	opened      *trial.Counts // nil without a play-tester
	onTrial     trialFiles
	tester      trial.Status // of the play-tester, if there is one
	guards
	gallery  *gallery.Service
	covers   *cover.Service
	players  *players.Service // nil, as the two below, with --runtime off
	boards   *boards.Service
	faults   *faults.Service
	figures  *figures.Service
	visitors *play.Visitors
	account  *account.Service
	vault    *sandlot.Vault
	mails    *account.MailServer // nil without SMTP
	proofs   []byte              // the secret of sandlot doctor
	meters   meters
	numbers  *minutes
	workers  []func(context.Context)
	failures map[string]*worker.Failures // by worker
	running  sync.WaitGroup
	stop     context.CancelFunc
}

// openApp opens the stores and assembles the service. Nothing runs yet.
func openApp(ctx context.Context, s settings, places sandlot.Places, log *slog.Logger) (_ *app, err error) {
	a := &app{settings: s, places: places, log: log, failures: map[string]*worker.Failures{}, memory: s.memory(), meters: newMeters()}
	defer func() {
		if err != nil {
			a.close()
		}
	}()
	if a.papers, err = s.readPapers(); err != nil {
		return nil, err
	}
	if a.brand, err = s.brandSettings.brand(); err != nil {
		return nil, err
	}
	if err = a.openStores(ctx); err != nil {
		return nil, err
	}
	mailer, err := a.mailer()
	if err != nil {
		return nil, err
	}
	if s.SMTPURL != "" {
		a.mails = &account.MailServer{}
	}
	cfg := a.publishConfig()
	if err = a.openBlocklist(ctx, &cfg); err != nil {
		return nil, err
	}
	if a.shared, err = s.share(ctx, a.store, log); err != nil {
		return nil, err
	}
	now, counts := a.store.Now, a.failuresOf("counts")
	seen := gallery.Config{Public: cfg.Public, Plays: a.memory.plays, Texts: a.memory.searches, Shared: s.DatabaseURL != "", Now: now}
	players, count := a.presence(now)
	counters := gallery.NewCounters(seen, a.store.Gallery(), players, log, counts)
	a.meters.plays, a.meters.players = counters.Played, func() int { return players.All(now()) }
	keyUses := identity.NewKeyUses(a.store.Credentials(), log, counts)
	a.stores = publish.Stores{Store: a.store.Publish(), Management: a.store.Publish(), Blobs: a.blobs, Statistics: counters}
	a.callers = &identity.Authenticator{Store: a.store.Credentials(), Uses: keyUses, Now: now, Log: log}
	if a.service, err = publish.New(ctx, cfg, a.stores, log, publish.WithClock(now)); err != nil {
		return nil, err
	}
	if a.gallery, err = gallery.New(ctx, seen, a.store.Gallery(), a.service.Reader, counters); err != nil {
		return nil, err
	}
	a.figures = figures.New(a.store.Gallery(), a.service.Reader, counters, now)
	if err = a.openServices(ctx, cfg.Spend); err != nil {
		return nil, err
	}
	a.workers = append(a.upkeep(cfg.Spend), a.blocklist.Run, count, counters.Run, keyUses.Run, a.keepFaults, a.courier(mailer).Run)
	pictures := cover.NewWorker(a.covers, log, a.failuresOf("covers"))
	a.workers = append(a.workers, pictures.Run)
	a.playtester(&a.onTrial, pictures)
	a.guard()
	if err = a.openInbox(); err != nil {
		return nil, err
	}
	a.numbers = a.minutes()
	a.workers = append(a.workers, a.numbers.run)
	return a, nil
}

// openStores locks the data folder, and opens the database and the blobs.
func (a *app) openStores(ctx context.Context) (err error) {
	s := a.settings
	lock, err := datafolder.Lock(ctx, s.Data, s.patience)
	if err != nil {
		return err
	}
	a.lock = lock
	if a.store, err = s.open(ctx, a.memory.database); err != nil {
		return err
	}
	if s.DatabaseURL == "" {
		err = a.store.Alone(ctx) // it lies in the folder, whose lock no other server has
		if errors.Is(err, sandlot.ErrFull) {
			a.log.Warn("jobs of the previous process wait until their leases lapse", "error", err)
			err = nil // records can still be read and deleted
		}
	}
	if err != nil {
		return err
	}
	a.blobs, err = s.files(ctx, a.store, s.BlobCache, a.meters.blobs)
	return err
}

func (a *app) publishConfig() publish.Config {
	s := a.settings
	cfg := publish.Config{
		Places: a.places, InlineMax: inlineMax(s.InlineMax), MaxFile: int64(s.MaxFileSize), SMTP: s.SMTPURL != "", MailUp: a.mails.Up,
		Quarantine: s.quarantine(a.places.Base), Temporary: s.Data, NoRuntime: s.Runtime == "off",
		MailFolder: "the folder mail of the service's data folder",
		Remembered: a.memory.remembered, Heavy: collecting(os.Getenv("GOGC")),
	}
	cfg.Brands, _ = s.brands() // was read at the start
	s.restrict(&cfg)
	if !s.elsewhere() {
		s.keepRoom(&cfg, s.Data, a.store.Upkeep())
	}
	return cfg
}

// openServices makes the services beside publish. All use one clock, for any number of processes. spend frees the
// reserve of a full disk.
func (a *app) openServices(ctx context.Context, spend func()) (err error) {
	now := a.store.Now
	settled := operate.Config{
		Holds: a.store.Operate(), ReportMail: a.settings.ReportMail, AutoHold: a.settings.holds(a.places), Meters: a.meters.reports,
		Spend: spend,
	}
	if a.operate, err = operate.New(ctx, settled, a.store.Operate(), operate.WithClock(now)); err != nil {
		return err
	}
	if a.desk, err = desk.New(ctx, desk.Config{Store: a.store.Operate().Desk(), Contents: a.service.Contents, Spend: spend, Now: now}); err != nil {
		return err
	}
	if a.tickets, err = ticket.New(ctx, a.store.Tickets(), a.service, ticket.WithClock(now)); err != nil {
		return err
	}
	a.covers = cover.New(cover.Config{
		Store: a.store.Covers(), Content: a.service.Contents, Projects: a.service.Reader, Spend: spend, Places: a.places,
		Temporary: a.settings.Data, Now: now,
	})
	owners := account.Config{Spend: spend, Uncounted: !public(a.places), Blocklist: a.blocklist}
	if a.account, err = account.New(ctx, owners, a.store.Account().Stores(), account.WithClock(now)); err != nil {
		return err
	}
	a.connect = &connect.Service{Store: a.store.Account(), Logins: a.account.Logins, Now: now, Blocklist: a.blocklist}
	if a.invitations, err = operate.NewInvitations(ctx, a.store.Operate().Invitations(), spend, now); err != nil {
		return err
	}
	if a.openID, err = a.settings.openID(ctx, a.places, a.store.Identities(), now); err != nil {
		return err
	}
	if a.openID != nil {
		a.openID.Blocklist = a.blocklist
	}
	if a.vault, err = sandlot.OpenVault(ctx, a.store.Account(), rand.Reader); err != nil {
		return err
	}
	a.grants = &oauth.Service{
		Store: a.store.Account(), Vault: a.vault, Documents: strangers.New("Sandlot/" + thisBuild().Version),
		Places: a.places, Now: now, Spend: spend,
	}
	a.openRuntime(now)
	a.proofs, err = installation(ctx, a.store, doctorSecret)
	return err
}

// upkeep returns the workers that follow other nodes, keep lists and heads current, and delete expired records.
func (a *app) upkeep(spend func()) []func(context.Context) {
	s, now, records, log := a.settings, a.store.Now, a.store.Upkeep(), a.log
	hear := func(context.Context) {}
	if a.shared != nil {
		hints := redis.NewHints(a.shared)
		a.service.Heads.Share(hints)
		hear = func(ctx context.Context) { hints.Run(ctx, a.service.Heads.Heard) }
	}
	started := time.Now()
	running := func() time.Duration { return time.Since(started) }
	ages := &operate.AgeGuard{Times: records, Now: now, Running: running, Log: log, Failures: a.failuresOf("clock")}
	collector := &operate.Collector{
		Records: records, Blobs: a.blobs, Staged: a.service.Contents.Held, Leases: records,
		Trim: records, Keep: s.KeepVersions, Ages: ages, Log: log, Now: now,
		Failures: a.failuresOf("collect"), Spend: spend,
	}
	a.visitors = play.KeepVisitors(daySalts{records, log, a.failuresOf("salt")}.keep)
	forgetter := s.forgetter(records)
	forgetter.Log, forgetter.Failures, forgetter.Spend = log, a.failuresOf("forget"), spend
	unconfirmed := a.failuresOf("heads")
	return []func(context.Context){
		func(ctx context.Context) { renew(ctx, a.visitors, now) },
		hear,
		func(ctx context.Context) {
			if err := a.store.Gallery().Follow(ctx); err != nil && ctx.Err() == nil {
				log.Warn("not everything is in the lists and found by a search yet; it is tried again within an hour", "error", err)
			}
		},
		func(ctx context.Context) { a.service.Heads.Run(ctx, unconfirmed) },
		collector.Run,
		forgetter.Run,
		ages.Run,
		a.dropCopies(ages),
		(&operate.Shrinker{Space: records, Log: log, Failures: a.failuresOf("shrink"), Spend: spend}).Run,
		squeeze.New(a.store.Variants(), a.service.Contents, log, a.failuresOf("variants")).Run,
	}
}

// presence returns the count of current players, with the worker that it needs.
func (a *app) presence(now func() time.Time) (present, func(context.Context)) {
	limits := live.Limits{Players: a.memory.players, PerProject: min(a.memory.players/4, mostOfProject)}
	if a.shared == nil {
		return live.NewMemory(limits), func(context.Context) {}
	}
	together := liveredis.New(a.shared, limits, now)
	return together, together.Run
}

// present counts current players, of one project and of all.
type present interface {
	gallery.Live
	All(now time.Time) int
}

// failuresOf returns a new counter for the failures of the named worker.
func (a *app) failuresOf(name string) *worker.Failures {
	f := &worker.Failures{}
	a.failures[name] = f
	return f
}

// start lets the workers run until close.
func (a *app) start() {
	ctx, stop := context.WithCancel(context.Background())
	a.stop = stop
	for _, work := range a.workers {
		a.running.Go(func() { work(ctx) })
	}
}

// close ends the workers, which write their held records, and closes the stores. It may be called on a partly opened
// app.
func (a *app) close() error {
	if a.stop != nil {
		a.stop()
		a.running.Wait()
	}
	var errs []error
	if a.shared != nil {
		errs = append(errs, a.shared.Close())
	}
	if a.store != nil {
		errs = append(errs, a.store.Close())
	}
	if a.inbox != nil {
		_ = a.inbox.Close() // it was closed with its worker, if that ran
	}
	for _, c := range []io.Closer{a.blobs, a.lock} {
		if c != nil {
			errs = append(errs, c.Close())
		}
	}
	return errors.Join(errs...)
}

// transfer returns the service that imports exports.
func (a *app) transfer() *transfer.Service {
	return transfer.New(transfer.Config{
		Projects: a.service, Contents: a.service.Contents, Pictures: a.covers, Temporary: a.settings.Data,
		MaxFile: int64(a.settings.MaxFileSize), Lines: append(linesOf(a.store, int64(a.settings.AccountBytes)), a.savesOf()),
	})
}

// linesOf returns the readers and writers of players' boards in exports, and in imports up to most bytes of the account;
// 0 is no limit.
func linesOf(db *sqlstore.DB, most int64) []transfer.Lines {
	return []transfer.Lines{boards.Lines{Store: db.Boards(), Most: most, Now: db.Now}}
}

// savesOf returns the reader and writer of players' saves, for imports, and for exports that ask for them.
func (a *app) savesOf() transfer.Lines {
	return players.Lines{Store: a.store.Players(), Most: int64(a.settings.AccountBytes), Now: a.store.Now}
}

// router returns the outermost handler.
func (a *app) router(m *metrics) *router {
	m.build(thisBuild(), a.settings.DatabaseURL != "")
	m.workers(a.failures)
	m.trials(a.opened)
	m.verdicts(a.judged)
	m.rooms(a)
	m.minutes(a)
	m.mailServer(a.mails)
	m.shared(a.shared)
	m.cache(a.blobs)
	limits := a.settings.admission(a.places, a.memory, a.callers)
	if a.shared != nil {
		a.workers = append(a.workers, func(ctx context.Context) { limits.Share(ctx, redis.NewSpending(a.shared)) })
	}
	zip := func(ctx context.Context, w io.Writer, e publish.Export) error {
		var err error
		if e.Pictures, err = a.store.Covers().Sent(ctx, e.Account.ID); err != nil {
			return err
		}
		kept := linesOf(a.store, int64(a.settings.AccountBytes))
		if e.Saves {
			kept = append(kept, a.savesOf())
		}
		return transfer.Write(ctx, w, e, a.service.Contents, kept...)
	}
	visitorID := func(r *http.Request, token string) gallery.PlayerID { return a.visitors.ID(r, token, a.store.Now()) }
	proxies, _ := admission.ParseProxies(a.settings.TrustedProxies) // was checked at the start
	documents := a.guide(limits)
	bodies := intake.New(intake.Intake{Contents: a.service.Contents, Places: a.places, MaxFile: int64(a.settings.MaxFileSize)})
	calls := api.New(api.Config{
		Service: a.service, Reader: a.service.Reader, Intake: bodies, Gallery: a.gallery, Figures: a.figures, Tickets: a.tickets, Trials: a.trials, Requests: a.requests,
		Reporters: &operate.Reporters{Store: a.store.Operate().Reporters(), Filing: a.operate},
		Covers:    a.covers, Transfer: a.transfer(), Players: a.players, Boards: a.boards, Faults: a.faults,
		Places: a.places, Log: a.log, Admission: limits, Archive: zip,
		Index: documents.Index, Links: documents.Links(), Version: thisBuild().Version, Now: a.store.Now,
	})
	writes := newWriteCounts(m, calls)
	front := a.tools(calls, documents, limits, writes)
	fonts := card.Find(card.Folders...).Keep(a.memory.fonts)
	a.log.Debug("looked for fonts", "found", fonts.Len(), "folders", card.Folders)
	quarantine := a.settings.quarantine(a.places.Base)
	contact, _ := a.settings.securityContact() // was checked at the start
	pages := web.New(web.Config{
		Service: a.service, Reader: a.service.Reader, Keyring: a.service.Keyring, Trash: a.service.Trash,
		Contents: a.service.Contents, Gallery: a.gallery, Figures: a.figures, Players: a.players, Boards: a.boards, Faults: a.faults,
		Trials: a.trials, Covers: a.covers, People: account.NewProfiles(a.store.People()), Reports: a.operate, Desk: a.desk,
		Listed:      &listed.Service{Store: a.store.Operate().Sightings()},
		Invitations: a.invitations, OpenID: a.openID, Connect: a.connect, OAuth: a.grants, Ready: a.ready(), Brand: a.brand,
		Sessions: a.callers, Account: a.account, Logins: a.account.Logins, Admission: limits,
		Fonts: fonts, Intake: bodies, Docs: documents.Page, Places: a.places, Papers: a.papers, Archive: zip,
		Contact: contact, RequestID: api.RequestID, VisitorID: visitorID, Watchers: a.memory.watchers, Log: a.log, Now: a.store.Now,
	})
	s := &router{
		writes:  writes,
		mcp:     front,
		oauth:   oauthhttp.New(oauthhttp.Config{Service: a.grants, Places: a.places, Admission: limits, Log: a.log, Now: a.store.Now}),
		places:  a.places,
		hosts:   a.places.Hosts(),
		clients: clients{proxies: proxies, public: public(a.places), log: a.log},
		log:     a.log,
		access:  accessLog(a.settings.AccessLog),
		metrics: m,
		needs:   a.needs(),
		api:     calls,
		play: play.New(play.Config{
			Service: a.service.Reader, Contents: a.service.Contents, Gallery: a.gallery, Frames: a.desk, Places: a.places, Visitors: a.visitors,
			Players: a.players, Boards: a.boards, Faults: a.faults,
			Token: pages.Visitor, Admission: limits, Quarantine: quarantine, Contact: contact, CacheBytes: a.memory.cache, Log: a.log, Now: a.store.Now,
		}),
		pages: pages,
		guide: documents,
	}
	m.registry.MustRegister(condition{s})
	m.limits(limits)
	m.mended(front)
	m.reads(s.play)
	a.onTrial.play = s.play
	return s
}

// guide returns the guide to this instance for programs.
func (a *app) guide(limits *admission.Limits) *guide.Guide {
	s := a.settings
	facts := guide.Facts{Quarantine: s.quarantine(a.places.Base), Opening: sandlot.Opening(s.Publish), MaxFile: int64(s.MaxFileSize)}
	facts.Site, facts.NoRuntime = s.SiteName, s.Runtime == "off"
	if s.limited(public(a.places)) {
		rates, _ := s.each() // was checked at the start
		facts.Accounts, facts.Writes = rates.Accounts, rates.Writes
	}
	contact, _ := s.securityContact() // likewise
	return guide.New(guide.Config{
		OpenAPI: api.Document(), Places: a.places, Facts: facts, Gallery: a.gallery, SecurityContact: contact,
		Admission: limits, Log: a.log, Now: a.store.Now,
	})
}

// newServer returns a server with the limits of every connection. Bodies and answers may take any time while they move
// (pace.go); the size of a body is limited where it is read.
func newServer(h http.Handler, log *slog.Logger) *http.Server {
	server := &http.Server{
		Handler:           h,
		ReadHeaderTimeout: 10 * time.Second,  // a header fits in a few packets; slower ones only hold a connection
		IdleTimeout:       120 * time.Second, // longer than the usual proxies keep theirs
		MaxHeaderBytes:    16 << 10,          // the longest honest header is a list of ETags
		HTTP2:             &http2,
		ErrorLog:          slog.NewLogLogger(log.Handler(), slog.LevelDebug),
	}
	// Within a frame, a page could act through an answer of its own origin that has no policy.
	front.Cover(server, "Content-Security-Policy: default-src 'none'; sandbox\r\n")
	return server
}
