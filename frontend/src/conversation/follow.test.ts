import { describe, expect, it } from "vitest";
import { Follow } from "./follow";

const at = (top: number, content = 2000, view = 500) => ({ top, content, view });

/** A list that follows and stands at its end. */
function following(): Follow {
  const follow = new Follow();
  follow.place(1500);
  follow.scroll(at(1500));
  return follow;
}

describe("following", () => {
  it("begins at the end", () => expect(following().following).toBe(true));

  it("stops at the first scroll up by wheel, before the scroll itself is told of", () => {
    const follow = following();
    follow.wheel(-40, at(1500));
    expect(follow.following).toBe(false);
  });

  it("stays stopped while content grows and the wheel is still", () => {
    const follow = following();
    follow.wheel(-40, at(1500));
    follow.scroll(at(1460));
    follow.scroll(at(1460, 2600));
    expect(follow.following).toBe(false);
  });

  it("stops when the scroll bar or a key moves it up", () => {
    const bar = following();
    bar.scroll(at(1200));
    expect(bar.following).toBe(false);
    const key = following();
    key.key("PageUp", at(1500));
    expect(key.following).toBe(false);
  });

  it("does not stop for a wheel down, for a list without anything to scroll, or for what the page does itself", () => {
    const follow = following();
    follow.wheel(30, at(1500));
    follow.wheel(-30, at(0, 400, 500));
    follow.place(1900);
    follow.scroll(at(1900, 2400));
    expect(follow.following).toBe(true);
  });

  it("does not stop when content shrinks below it or the window grows", () => {
    const follow = following();
    follow.scroll(at(1460, 1960));
    expect(follow.following).toBe(true);
    follow.scroll(at(1360, 1960, 600));
    expect(follow.following).toBe(true);
  });

  it("resumes at the bottom, reached by scrolling down, and not on the way up near it", () => {
    const follow = following();
    follow.wheel(-4, at(1500));
    follow.scroll(at(1497));
    expect(follow.following).toBe(false);
    follow.scroll(at(1200));
    follow.scroll(at(1400));
    expect(follow.following).toBe(false);
    follow.scroll(at(1499));
    expect(follow.following).toBe(true);
  });

  it("stops for a selection and for a kept place, and starts when the latest is asked for", () => {
    const follow = following();
    const heard: boolean[] = [];
    follow.subscribe(() => heard.push(follow.following));
    follow.select();
    follow.jump();
    follow.hold();
    follow.jump();
    expect(heard).toEqual([false, true, false, true]);
  });
});
