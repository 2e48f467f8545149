import { useRoute } from "./router";
import { SlotTarget } from "./slots";

export function Frame() {
  const route = useRoute();
  return (
    <div className="flex h-full">
      <main className="flex min-w-0 flex-1 flex-col">
        <header className="flex h-11 items-center border-b px-3">
          <SlotTarget name="title" className="min-w-0 flex-1" />
          <SlotTarget name="actions" className="flex" />
        </header>
        <div className="min-h-0 flex-1">{route.name}</div>
        <SlotTarget name="status" />
      </main>
    </div>
  );
}
