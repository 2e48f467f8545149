import { Check, type LucideIcon } from "lucide-react";
import { ContextMenu as RadixContext, DropdownMenu as RadixDropdown } from "radix-ui";
import type { ReactNode } from "react";
import { cx } from "./cx";

/** One line of a menu; "separator" draws a line. */
export type MenuItem =
  | {
      id: string;
      label: string;
      icon?: LucideIcon;
      hint?: string;
      danger?: boolean;
      disabled?: boolean;
      checked?: boolean;
      run(): void;
    }
  | "separator";

const CONTENT = "z-50 min-w-44 max-w-80 animate-appear rounded border border-line bg-raised p-1 shadow-high";
const ITEM =
  "flex h-7.5 select-none items-center gap-2.5 rounded px-2 outline-none data-[disabled]:opacity-45 data-[highlighted]:bg-highlight";

type Parts = Pick<typeof RadixDropdown, "Item" | "Separator"> | Pick<typeof RadixContext, "Item" | "Separator">;

function Items({ items, parts }: { items: MenuItem[]; parts: Parts }) {
  const Item = parts.Item as typeof RadixDropdown.Item;
  const Separator = parts.Separator as typeof RadixDropdown.Separator;
  return items.map((item, index) => {
    if (item === "separator") {
      // biome-ignore lint/suspicious/noArrayIndexKey: lines have no identity of their own
      return <Separator key={`line-${index}`} className="-mx-1 my-1 h-px bg-line" />;
    }
    const Icon = item.checked ? Check : item.icon;
    return (
      <Item
        key={item.id}
        disabled={item.disabled}
        onSelect={() => item.run()}
        className={cx(ITEM, item.danger && "text-danger")}
        {...(item.checked === undefined ? {} : { role: "menuitemradio", "aria-checked": item.checked })}
      >
        <span className="flex size-4 shrink-0 items-center justify-center">
          {Icon && <Icon aria-hidden className={cx("size-4", !item.danger && "text-muted")} />}
        </span>
        <span className="min-w-0 flex-1 truncate">{item.label}</span>
        {item.hint && <span className="pl-3 text-faint text-sm">{item.hint}</span>}
      </Item>
    );
  });
}

export interface MenuProps {
  items: MenuItem[];
  /** The button that opens it. */
  children: ReactNode;
  align?: "start" | "end";
  side?: "top" | "bottom";
}

export function Menu({ items, children, align = "end", side = "bottom" }: MenuProps) {
  return (
    <RadixDropdown.Root modal={false}>
      <RadixDropdown.Trigger asChild>{children}</RadixDropdown.Trigger>
      <RadixDropdown.Portal>
        <RadixDropdown.Content align={align} side={side} sideOffset={4} collisionPadding={8} className={CONTENT}>
          <Items items={items} parts={RadixDropdown} />
        </RadixDropdown.Content>
      </RadixDropdown.Portal>
    </RadixDropdown.Root>
  );
}

/** The menu of a right click or of the menu key. Whatever is in it must also be reachable by a visible button. */
export function ContextMenu({ items, children }: { items: MenuItem[]; children: ReactNode }) {
  return (
    <RadixContext.Root modal={false}>
      <RadixContext.Trigger asChild>{children}</RadixContext.Trigger>
      <RadixContext.Portal>
        <RadixContext.Content collisionPadding={8} className={CONTENT}>
          <Items items={items} parts={RadixContext} />
        </RadixContext.Content>
      </RadixContext.Portal>
    </RadixContext.Root>
  );
}
