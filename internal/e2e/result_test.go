//go:build unix

package e2e

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"image"
	"image/color"
	"image/png"
	"strings"
	"testing"
)

func results() map[string]behaviour {
	wants := object{"wants": []string{"tool_result"}}
	return map[string]behaviour{
		"shortens": {wants, shorten},
		"judges": {wants, func(*fake, envelope) reply {
			return reply{"result": object{"isError": true, "content": "not good enough", "details": object{"judged": true}}}
		}},
	}
}

// shorten replaces the text of a result and keeps its images.
func shorten(_ *fake, e envelope) reply {
	var p struct {
		Content []struct {
			Type  string
			Image int
			Bytes int
		}
	}
	e.payload(&p)
	content := []object{{"type": "text", "text": "shorter"}}
	for _, c := range p.Content {
		if c.Type == "image" {
			content = append(content, object{"type": "image", "image": c.Image})
		}
	}
	return reply{"result": object{"content": content}}
}

// picture is a small PNG.
func picture(t *testing.T) []byte {
	t.Helper()
	m := image.NewRGBA(image.Rect(0, 0, 8, 8))
	for i := range 8 {
		m.Set(i, i, color.RGBA{uint8(30 * i), 99, 10, 255})
	}
	var b bytes.Buffer
	if err := png.Encode(&b, m); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func TestAToolResultIsReplacedAndKeepsItsImages(t *testing.T) {
	t.Parallel()
	eachWay(t, func(t *testing.T, version, transport string) {
		h := newHome(t, version)
		h.write(t, "pic.png", string(picture(t)))
		h.write(t, "long.txt", "a long text")
		f := h.fake(t, "shortens", transport)
		h.once(t, "Look.", turn{Tools: []call{{"read", object{"path": "pic.png"}}, {"read", object{"path": "long.txt"}}}}, say("ok"))
		got := string(h.model.last(t).Raw)
		data := sessionImage(t, h.session(t))
		if data == "" || !strings.Contains(got, data) {
			t.Errorf("the model does not see the image: %.500s", got)
		}
		if n := strings.Count(got, "shorter"); n != 2 || strings.Contains(got, "a long text") {
			t.Errorf("%d results were replaced, want 2: %.500s", n, got)
		}
		for _, e := range f.log("") {
			if strings.Contains(string(e.Raw), data) {
				t.Errorf("a request to pictx holds the image: %.300s", e.Raw)
			}
		}
		if sent := f.log("tool_result"); len(sent) != 2 {
			t.Errorf("%d results went over, want 2", len(sent))
		} else {
			checkImageNamed(t, sent)
		}
	})
}

// sessionImage is the data of the image in the session, as pi made it.
func sessionImage(t *testing.T, file string) string {
	t.Helper()
	for _, e := range entries(t, file) {
		var blocks []struct{ Type, Data string }
		json.Unmarshal(e.Message.Content, &blocks)
		for _, b := range blocks {
			if b.Type == "image" {
				return b.Data
			}
		}
	}
	return ""
}

// checkImageNamed wants one of the requests to name an image and its size.
func checkImageNamed(t *testing.T, sent []envelope) {
	t.Helper()
	for _, e := range sent {
		var p struct {
			Content []struct {
				Type, MimeType string
				Image          *int
				Bytes          int
			}
		}
		e.payload(&p)
		for _, c := range p.Content {
			if c.Type == "image" && c.MimeType == "image/png" && c.Image != nil && *c.Image == 0 && c.Bytes > 50 {
				return
			}
		}
	}
	t.Errorf("no request names the image: %s", sent[0].Payload)
}

func TestAToolResultCanBecomeAnError(t *testing.T) {
	t.Parallel()
	oneTransport(t, func(t *testing.T, transport string) {
		h, f := fakeHome(t, newest, "judges", transport)
		h.once(t, "Look.", use("bash", object{"command": "echo fine"}), say("ok"))
		if got := h.model.last(t).results(); len(got) != 1 || got[0] != "not good enough" {
			t.Errorf("results %q", got)
		}
		session := text(entries(t, h.session(t)))
		contains(t, "the session", session, `"isError":true`)
		contains(t, "the session", session, `"judged":true`)
		sent := string(f.log("tool_result")[0].Payload)
		contains(t, "the request", sent, `"command":"echo fine"`)
		contains(t, "the request", sent, `fine\n`)
	})
}

func TestImagesOfAPromptAreOnlyCounted(t *testing.T) {
	t.Parallel()
	oneTransport(t, func(t *testing.T, transport string) {
		h, f := fakeHome(t, newest, "listens", transport)
		data := base64.StdEncoding.EncodeToString(picture(t))
		h.model.play(say("ok"))
		p := h.start(t)
		p.prompt("What is this?", object{"type": "image", "data": data, "mimeType": "image/png"})
		p.close()
		var sent struct{ Images int }
		f.log("before_agent_start")[0].payload(&sent)
		if sent.Images != 1 {
			t.Errorf("%d images, want 1", sent.Images)
		}
		for _, e := range f.log("") {
			if strings.Contains(string(e.Raw), data[:60]) {
				t.Errorf("%s holds the image", e.Event)
			}
		}
	})
}
