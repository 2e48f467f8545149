import { Face } from "@/ui/Face";
import { useActions } from "../context";

/** Who speaks, above the first thing that is said or done. */
export function Lead() {
  const { bot } = useActions();
  return (
    <div className="flex items-center gap-2 pt-3 pb-1.5" data-nocopy>
      <Face seed={bot?.id ?? ""} tint={bot?.tint} className="size-5.5" />
      <h2 className="font-semibold">{bot?.name}</h2>
    </div>
  );
}
