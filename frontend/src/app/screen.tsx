import { type ComponentType, useEffect, useReducer, useState } from "react";

/**
 * A component whose code is loaded when it is first wanted. Unlike React's own `lazy`, one whose code has arrived is drawn
 * at once: React holds content back for up to 300 ms after it has drawn a fallback. Nothing is drawn meanwhile.
 */
export function screen<Props extends object>(load: () => Promise<ComponentType<Props>>): ComponentType<Props> {
  let Loaded: ComponentType<Props> | null = null;
  let loading: Promise<void> | null = null;

  // biome-ignore lint/correctness/noComponentHookFactories: made once for each screen, where its module begins
  return function Screen(props: Props) {
    const [, redraw] = useReducer((count: number) => count + 1, 0);
    const [failure, setFailure] = useState<unknown>(null);
    useEffect(() => {
      if (Loaded) return;
      let current = true;
      loading ??= load().then((component) => {
        Loaded = component;
      });
      loading.then(
        () => current && redraw(),
        (reason) => {
          loading = null;
          if (current) setFailure(reason);
        },
      );
      return () => {
        current = false;
      };
    }, []);
    // To the error boundary, which offers to try again.
    if (failure !== null) throw failure;
    return Loaded && <Loaded {...props} />;
  };
}
