"use strict";
/* Saves what a page holds whenever it changes, one request at a time, and says so. Shared by boxes and answers. */
const work = document.getElementById("work");
const state = document.getElementById("state");
const token = document.querySelector("meta[name=snellen-token]").content;

function tell(said, bad) {
  state.textContent = said;
  state.classList.toggle("bad", Boolean(bad));
}

/* `held` gives what is to be sent; `kept` is told what the server saved. */
function saver(held, kept) {
  let revision = "", timer = 0, sending = false, changed = false, stopped = false, leave = "";

  async function send() {
    clearTimeout(timer);
    timer = 0;
    if (sending || !changed || stopped) return;
    sending = true;
    changed = false;
    tell("Saving …");
    try {
      const reply = await fetch(work.dataset.at + "/save", {
        method: "POST",
        keepalive: true,
        headers: { "content-type": "application/json", "x-snellen-token": token },
        body: JSON.stringify({ revision, ...held() }),
      });
      const isJson = (reply.headers.get("content-type") || "").startsWith("application/json");
      const found = isJson ? await reply.json() : { wrong: (await reply.text()).trim() };
      if (reply.ok) {
        revision = found.revision;
        kept(found);
        tell(changed ? "Saving …" : "Saved");
        if (leave && !changed) location.assign(leave);
      } else {
        stopped = reply.status === 409 || reply.status === 403;
        tell("Not saved: " + found.wrong, true);
      }
    } catch {
      changed = true;
      tell("Not saved: the server does not answer. Is 'snellen annotate' still running?", true);
      timer = setTimeout(send, 3000);
    }
    sending = false;
    if (changed && !timer) timer = setTimeout(send, 0);
  }

  /* a link waits until all is saved, so that nothing is lost on the way */
  document.addEventListener("click", event => {
    const link = event.target.closest("a[href]");
    if (!link || stopped || !(changed || sending)) return;
    event.preventDefault();
    leave = link.href;
    send();
  });
  addEventListener("pagehide", send);
  document.addEventListener("visibilitychange", () => { if (document.hidden) send(); });
  addEventListener("beforeunload", event => { if ((changed || sending) && state.classList.contains("bad")) event.preventDefault(); });

  return {
    async load() {
      const found = await (await fetch(work.dataset.at + "/saved")).json();
      revision = found.revision;
      tell("Saved");
      return found;
    },
    soon(wait = 0) {
      changed = true;
      tell("Not saved yet");
      clearTimeout(timer);
      timer = setTimeout(send, wait);
    },
  };
}
