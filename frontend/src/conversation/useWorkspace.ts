import { useQuery } from "@tanstack/react-query";
import { backend } from "@/backend";
import type { WorkspaceInfo } from "@/backend/types";

/** A folder as it is now. It is looked at again when a turn ends, which may have changed its branch. */
export function useWorkspace(path: string | undefined, turn: string | undefined): WorkspaceInfo | undefined {
  const query = useQuery({
    queryKey: ["workspace", path, turn],
    queryFn: () => backend.Workspace.Info(path ?? ""),
    enabled: path !== undefined && path !== "",
    staleTime: 30_000,
    placeholderData: (before) => (before?.path === path ? before : undefined),
    refetchOnWindowFocus: true,
  });
  return query.data;
}
