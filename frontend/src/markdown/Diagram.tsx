import { Code, Shapes } from "lucide-react";
import { useEffect, useState } from "react";
import { useT } from "@/i18n";
import { Button } from "@/ui/Button";
import { Note } from "@/ui/parts";
import { CodeBlock } from "./CodeBlock";
import { drawDiagram, type Picture } from "./drawing";

/** A diagram's source, which is drawn when the person asks for it. */
export function Diagram({ text, info, closed, grew }: { text: string; info: string; closed: boolean; grew?: boolean }) {
  const t = useT();
  const [picture, setPicture] = useState<Picture | null>(null);
  const [state, setState] = useState<"source" | "drawing" | "drawn" | "failed">("source");
  useEffect(() => () => void (picture && URL.revokeObjectURL(picture.url)), [picture]);
  const draw = () => {
    setState("drawing");
    drawDiagram(text, document.documentElement.dataset.theme === "dark")
      .then((drawn) => {
        setPicture(drawn);
        setState("drawn");
      })
      .catch(() => setState("failed"));
  };
  const actions =
    state === "drawn" ? (
      <Button size="small" kind="quiet" icon={Code} onClick={() => setState("source")}>
        {t("markdown.diagram.source")}
      </Button>
    ) : (
      <Button
        size="small"
        kind="quiet"
        icon={Shapes}
        disabled={!closed}
        busy={state === "drawing"}
        onClick={picture ? () => setState("drawn") : draw}
      >
        {t("markdown.diagram.draw")}
      </Button>
    );
  return (
    <>
      <CodeBlock text={text} info={info} closed={closed} grew={grew} actions={actions}>
        {state === "drawn" && picture && (
          <div className="md-diagram">
            <img
              src={picture.url}
              alt={t("markdown.diagram.alt")}
              width={picture.width}
              height={picture.height}
              draggable={false}
            />
          </div>
        )}
      </CodeBlock>
      {state === "failed" && (
        <Note tone="warning" live className="mt-2">
          {t("markdown.diagram.failed")}
        </Note>
      )}
    </>
  );
}
