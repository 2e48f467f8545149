import type { UseQueryResult } from "@tanstack/react-query";
import { infiniteQueryOptions, QueryClientProvider, useInfiniteQuery, useQuery } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { createContext, useContext, useMemo, useSyncExternalStore } from "react";
import { Catalog, createQueryClient, keys } from "./catalog";
import { backend } from "./client";
import { EventStream, type SessionListener, type SessionSubscription } from "./events";
import { mergeSessions } from "./sessionList";
import type * as wire from "./types";

export { keys } from "./catalog";
export { backend, desktop } from "./client";
export type { SessionListener, SessionSubscription } from "./events";
export { RejectionError, toRejection } from "./rejection";

/** The page's connection: the cache of the catalog and the live events. */
export interface Connection {
  catalog: Catalog;
  events: EventStream;
}

export function connect(): Connection {
  const catalog = new Catalog(createQueryClient());
  const events = new EventStream(catalog);
  events.start();
  return { catalog, events };
}

/** Reads what the first picture needs all at once, before any component asks for it. */
export function preload({ catalog }: Connection): void {
  const { queries } = catalog;
  void queries.prefetchQuery({ queryKey: keys.settings, queryFn: catalog.readSettings });
  void queries.prefetchQuery({ queryKey: keys.bots, queryFn: catalog.readBots });
  void queries.prefetchInfiniteQuery(sessionPages({}));
}

const ConnectionContext = createContext<Connection | null>(null);

export function BackendProvider({ connection, children }: { connection: Connection; children: ReactNode }) {
  return (
    <ConnectionContext value={connection}>
      <QueryClientProvider client={connection.catalog.queries}>{children}</QueryClientProvider>
    </ConnectionContext>
  );
}

export function useConnection(): Connection {
  const connection = useContext(ConnectionContext);
  if (!connection) throw new Error("There is no BackendProvider above this component.");
  return connection;
}

/** Gives `subscribeSession(id, listener)`; see EventStream. */
export function useSubscribeSession(): (id: string, listener: SessionListener) => SessionSubscription {
  const { events } = useConnection();
  return useMemo(() => events.subscribeSession.bind(events), [events]);
}

export function useBots(): UseQueryResult<wire.Bot[], Error> {
  const { catalog } = useConnection();
  return useQuery({ queryKey: keys.bots, queryFn: catalog.readBots, select: selectBots });
}
const selectBots = (list: wire.BotList): wire.Bot[] => list.bots;

export function useBot(id: string | undefined): wire.Bot | undefined {
  return useBots().data?.find((bot) => bot.id === id);
}

export function useProviders(): UseQueryResult<wire.ProviderInstance[], Error> {
  const { catalog } = useConnection();
  return useQuery({ queryKey: keys.providers, queryFn: catalog.readProviders, select: selectProviders });
}
const selectProviders = (list: wire.ProviderList): wire.ProviderInstance[] => list.providers;

export function useSettings(): UseQueryResult<wire.Settings, Error> {
  const { catalog } = useConnection();
  return useQuery({ queryKey: keys.settings, queryFn: catalog.readSettings });
}

/** What new Bots start with. */
export function useDefaults(): UseQueryResult<wire.BotDefaults, Error> {
  const { catalog } = useConnection();
  return useQuery({ queryKey: keys.defaults, queryFn: catalog.readDefaults });
}

export function useProviderKinds(): UseQueryResult<wire.ProviderKind[], Error> {
  return useQuery({ queryKey: keys.kinds, queryFn: backend.Providers.Kinds });
}

/** The models of a provider instance. A server that does not answer is an error here, not an empty list. */
export function useModels(instance: string): UseQueryResult<wire.Model[], Error> {
  return useQuery({
    queryKey: keys.models(instance),
    queryFn: () => backend.Providers.Models(instance, false),
    enabled: instance !== "",
  });
}

/** The models of an instance as far as they were read already; asks nobody. */
export function useKnownModels(instance: string): wire.Model[] | undefined {
  return useQuery({
    queryKey: keys.models(instance),
    queryFn: () => backend.Providers.Models(instance, false),
    enabled: false,
  }).data;
}

export function useCapabilities(): UseQueryResult<wire.CapabilityInfo[], Error> {
  return useQuery({ queryKey: keys.capabilities, queryFn: backend.Bots.Capabilities });
}

export function useSystemInfo(): UseQueryResult<wire.SystemInfo, Error> {
  return useQuery({ queryKey: keys.info, queryFn: backend.System.Info });
}

const PAGE = 100;

function sessionPages(filter: wire.SessionQuery) {
  return infiniteQueryOptions({
    queryKey: [...(filter.trash ? keys.trash : keys.sessions), filter],
    queryFn: ({ pageParam }) => backend.Sessions.List({ ...filter, cursor: pageParam, limit: PAGE }),
    initialPageParam: "",
    getNextPageParam: (page) => page.next || undefined,
  });
}

/** The conversations of a query, live. Pages are read as they are needed. */
export function useSessions(query: wire.SessionQuery) {
  const { catalog } = useConnection();
  const { bot_id, workspace, text, trash } = query;
  const filter = useMemo(() => ({ bot_id, workspace, text, trash }), [bot_id, workspace, text, trash]);
  const pages = useInfiniteQuery(sessionPages(filter));
  const changes = useSyncExternalStore(catalog.subscribe, catalog.sessions);
  const data = pages.data;
  const sessions = useMemo(
    () => (data ? mergeSessions(data.pages, changes, filter) : undefined),
    [data, changes, filter],
  );
  return { ...pages, sessions };
}

/** The newest known record of a session, or what the caller has. */
export function useSession(id: string, fallback?: wire.Session): wire.Session | undefined {
  const { catalog } = useConnection();
  const changes = useSyncExternalStore(catalog.subscribe, catalog.sessions);
  return changes.get(id)?.session ?? fallback;
}
