import { useEffect, useState } from "react";
import { Slot } from "@/app/slots";
import { backend } from "@/backend";
import type { OpenSession } from "@/backend/types";

export function ConversationView({ sessionId }: { sessionId: string }) {
  const [open, setOpen] = useState<OpenSession>();
  useEffect(() => void backend.Sessions.Open({ id: sessionId }).then(setOpen), [sessionId]);
  return (
    <>
      <Slot name="title">
        <h1 className="font-semibold">{open?.session.title}</h1>
      </Slot>
      <pre className="p-8">{JSON.stringify(open?.page.events, null, 1)}</pre>
    </>
  );
}

export function NewChatView() {
  return (
    <Slot name="title">
      <h1 className="font-semibold">New</h1>
    </Slot>
  );
}
