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

	"github.com/coctostan/pictx/internal/must"
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
	must.Do(t, png.Encode(&b, m))
	return b.Bytes()
}

// sessionImage is the data of the image in the session, as pi made it.
func sessionImage(all []entry) string {
	for _, e := range all {
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

func (s *stage) shortened() {
	t := s.t
	s.ask("Look.", turn{Tools: []call{{"read", object{"path": "pic.png"}}, {"read", object{"path": "long.txt"}}}}, say("ok"))
	got := string(s.h.model.last(t).Raw)
	data := sessionImage(s.entries())
	must.Not(t, data == "" || !strings.Contains(got, data), "the model does not see the image: %.500s", got)
	n := strings.Count(got, "shorter")
	must.Not(t, n != 2 || strings.Contains(got, "a long text"), "%d results were replaced, want 2: %.500s", n, got)
	for _, e := range s.f.log("") {
		lacks(t, "a request to pictx holds the image", string(e.Raw), data)
	}
	sent := s.f.log("tool_result")
	wantCount(t, "results went over", len(sent), 2)
	checkImageNamed(t, sent)
}

func (s *stage) judged() {
	t := s.t
	s.ask("Look.", use("bash", object{"command": "echo fine"}), say("ok"))
	got := s.h.model.last(t).results()
	must.Not(t, len(got) != 1 || got[0] != "not good enough", "results %q", got)
	session := text(s.entries())
	contains(t, "the session", session, `"isError":true`)
	contains(t, "the session", session, `"judged":true`)
	sent := string(s.f.log("tool_result")[0].Payload)
	contains(t, "the request", sent, `"command":"echo fine"`)
	contains(t, "the request", sent, `fine\n`)
}

func (s *stage) countedImages() {
	data := base64.StdEncoding.EncodeToString(picture(s.t))
	s.h.model.play(say("ok"))
	s.prompt("What is this?", object{"type": "image", "data": data, "mimeType": "image/png"})
	var sent struct{ Images int }
	s.f.log("before_agent_start")[0].payload(&sent)
	wantCount(s.t, "images", sent.Images, 1)
	for _, e := range s.f.log("") {
		lacks(s.t, e.Event+" holds the image", string(e.Raw), data[:60])
	}
}
