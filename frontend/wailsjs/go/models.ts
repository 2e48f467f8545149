export namespace wire {
	
	export class Accepted {
	    submission_id: string;
	    delivery?: string;
	    turn_id?: string;
	    seq?: number;
	
	    static createFrom(source: any = {}) {
	        return new Accepted(source);
	    }
	
	    constructor(source: any = {}) {
	        if ('string' === typeof source) source = JSON.parse(source);
	        this.submission_id = source["submission_id"];
	        this.delivery = source["delivery"];
	        this.turn_id = source["turn_id"];
	        this.seq = source["seq"];
	    }
	}
	export class BackupFile {
	    path: string;
	    reason: string;
	    at: number;
	    bytes: number;
	
	    static createFrom(source: any = {}) {
	        return new BackupFile(source);
	    }
	
	    constructor(source: any = {}) {
	        if ('string' === typeof source) source = JSON.parse(source);
	        this.path = source["path"];
	        this.reason = source["reason"];
	        this.at = source["at"];
	        this.bytes = source["bytes"];
	    }
	}
	export class Block {
	    kind: string;
	    text?: string;
	    call_id?: string;
	    name?: string;
	    args?: string;
	    duration_ms?: number;
	
	    static createFrom(source: any = {}) {
	        return new Block(source);
	    }
	
	    constructor(source: any = {}) {
	        if ('string' === typeof source) source = JSON.parse(source);
	        this.kind = source["kind"];
	        this.text = source["text"];
	        this.call_id = source["call_id"];
	        this.name = source["name"];
	        this.args = source["args"];
	        this.duration_ms = source["duration_ms"];
	    }
	}
	export class Capabilities {
	    enabled: string[];
	    settings?: Record<string, string>;
	
	    static createFrom(source: any = {}) {
	        return new Capabilities(source);
	    }
	
	    constructor(source: any = {}) {
	        if ('string' === typeof source) source = JSON.parse(source);
	        this.enabled = source["enabled"];
	        this.settings = source["settings"];
	    }
	}
	export class ProviderChoice {
	    instance: string;
	    model: string;
	    reasoning_effort?: string;
	
	    static createFrom(source: any = {}) {
	        return new ProviderChoice(source);
	    }
	
	    constructor(source: any = {}) {
	        if ('string' === typeof source) source = JSON.parse(source);
	        this.instance = source["instance"];
	        this.model = source["model"];
	        this.reasoning_effort = source["reasoning_effort"];
	    }
	}
	export class BotConfig {
	    provider: ProviderChoice;
	    system_prompt: string;
	    capabilities: Capabilities;
	    approval: string;
	    delivery: string;
	    max_model_steps: number;
	
	    static createFrom(source: any = {}) {
	        return new BotConfig(source);
	    }
	
	    constructor(source: any = {}) {
	        if ('string' === typeof source) source = JSON.parse(source);
	        this.provider = this.convertValues(source["provider"], ProviderChoice);
	        this.system_prompt = source["system_prompt"];
	        this.capabilities = this.convertValues(source["capabilities"], Capabilities);
	        this.approval = source["approval"];
	        this.delivery = source["delivery"];
	        this.max_model_steps = source["max_model_steps"];
	    }
	
		convertValues(a: any, classs: any, asMap: boolean = false): any {
		    if (!a) {
		        return a;
		    }
		    if (a.slice && a.map) {
		        return (a as any[]).map(elem => this.convertValues(elem, classs));
		    } else if ("object" === typeof a) {
		        if (asMap) {
		            for (const key of Object.keys(a)) {
		                a[key] = new classs(a[key]);
		            }
		            return a;
		        }
		        return new classs(a);
		    }
		    return a;
		}
	}
	export class BotRevision {
	    revision: number;
	    config: BotConfig;
	
	    static createFrom(source: any = {}) {
	        return new BotRevision(source);
	    }
	
	    constructor(source: any = {}) {
	        if ('string' === typeof source) source = JSON.parse(source);
	        this.revision = source["revision"];
	        this.config = this.convertValues(source["config"], BotConfig);
	    }
	
		convertValues(a: any, classs: any, asMap: boolean = false): any {
		    if (!a) {
		        return a;
		    }
		    if (a.slice && a.map) {
		        return (a as any[]).map(elem => this.convertValues(elem, classs));
		    } else if ("object" === typeof a) {
		        if (asMap) {
		            for (const key of Object.keys(a)) {
		                a[key] = new classs(a[key]);
		            }
		            return a;
		        }
		        return new classs(a);
		    }
		    return a;
		}
	}
	export class Bot {
	    id: string;
	    handle: string;
	    name: string;
	    description: string;
	    tint: string;
	    builtin: boolean;
	    created_at: number;
	    updated_at: number;
	    config: BotRevision;
	
	    static createFrom(source: any = {}) {
	        return new Bot(source);
	    }
	
	    constructor(source: any = {}) {
	        if ('string' === typeof source) source = JSON.parse(source);
	        this.id = source["id"];
	        this.handle = source["handle"];
	        this.name = source["name"];
	        this.description = source["description"];
	        this.tint = source["tint"];
	        this.builtin = source["builtin"];
	        this.created_at = source["created_at"];
	        this.updated_at = source["updated_at"];
	        this.config = this.convertValues(source["config"], BotRevision);
	    }
	
		convertValues(a: any, classs: any, asMap: boolean = false): any {
		    if (!a) {
		        return a;
		    }
		    if (a.slice && a.map) {
		        return (a as any[]).map(elem => this.convertValues(elem, classs));
		    } else if ("object" === typeof a) {
		        if (asMap) {
		            for (const key of Object.keys(a)) {
		                a[key] = new classs(a[key]);
		            }
		            return a;
		        }
		        return new classs(a);
		    }
		    return a;
		}
	}
	
	export class BotDefaults {
	    revision: number;
	    config: BotConfig;
	
	    static createFrom(source: any = {}) {
	        return new BotDefaults(source);
	    }
	
	    constructor(source: any = {}) {
	        if ('string' === typeof source) source = JSON.parse(source);
	        this.revision = source["revision"];
	        this.config = this.convertValues(source["config"], BotConfig);
	    }
	
		convertValues(a: any, classs: any, asMap: boolean = false): any {
		    if (!a) {
		        return a;
		    }
		    if (a.slice && a.map) {
		        return (a as any[]).map(elem => this.convertValues(elem, classs));
		    } else if ("object" === typeof a) {
		        if (asMap) {
		            for (const key of Object.keys(a)) {
		                a[key] = new classs(a[key]);
		            }
		            return a;
		        }
		        return new classs(a);
		    }
		    return a;
		}
	}
	export class BotDeletion {
	    bots: Bot[];
	    session_ids: string[];
	
	    static createFrom(source: any = {}) {
	        return new BotDeletion(source);
	    }
	
	    constructor(source: any = {}) {
	        if ('string' === typeof source) source = JSON.parse(source);
	        this.bots = this.convertValues(source["bots"], Bot);
	        this.session_ids = source["session_ids"];
	    }
	
		convertValues(a: any, classs: any, asMap: boolean = false): any {
		    if (!a) {
		        return a;
		    }
		    if (a.slice && a.map) {
		        return (a as any[]).map(elem => this.convertValues(elem, classs));
		    } else if ("object" === typeof a) {
		        if (asMap) {
		            for (const key of Object.keys(a)) {
		                a[key] = new classs(a[key]);
		            }
		            return a;
		        }
		        return new classs(a);
		    }
		    return a;
		}
	}
	export class BotDraft {
	    name: string;
	    description: string;
	    tint?: string;
	    handle?: string;
	    config?: BotConfig;
	
	    static createFrom(source: any = {}) {
	        return new BotDraft(source);
	    }
	
	    constructor(source: any = {}) {
	        if ('string' === typeof source) source = JSON.parse(source);
	        this.name = source["name"];
	        this.description = source["description"];
	        this.tint = source["tint"];
	        this.handle = source["handle"];
	        this.config = this.convertValues(source["config"], BotConfig);
	    }
	
		convertValues(a: any, classs: any, asMap: boolean = false): any {
		    if (!a) {
		        return a;
		    }
		    if (a.slice && a.map) {
		        return (a as any[]).map(elem => this.convertValues(elem, classs));
		    } else if ("object" === typeof a) {
		        if (asMap) {
		            for (const key of Object.keys(a)) {
		                a[key] = new classs(a[key]);
		            }
		            return a;
		        }
		        return new classs(a);
		    }
		    return a;
		}
	}
	export class BotList {
	    revision: number;
	    bots: Bot[];
	
	    static createFrom(source: any = {}) {
	        return new BotList(source);
	    }
	
	    constructor(source: any = {}) {
	        if ('string' === typeof source) source = JSON.parse(source);
	        this.revision = source["revision"];
	        this.bots = this.convertValues(source["bots"], Bot);
	    }
	
		convertValues(a: any, classs: any, asMap: boolean = false): any {
		    if (!a) {
		        return a;
		    }
		    if (a.slice && a.map) {
		        return (a as any[]).map(elem => this.convertValues(elem, classs));
		    } else if ("object" === typeof a) {
		        if (asMap) {
		            for (const key of Object.keys(a)) {
		                a[key] = new classs(a[key]);
		            }
		            return a;
		        }
		        return new classs(a);
		    }
		    return a;
		}
	}
	
	export class BotUpdate {
	    id: string;
	    expected_revision: number;
	    name?: string;
	    description?: string;
	    tint?: string;
	    handle?: string;
	    config?: BotConfig;
	
	    static createFrom(source: any = {}) {
	        return new BotUpdate(source);
	    }
	
	    constructor(source: any = {}) {
	        if ('string' === typeof source) source = JSON.parse(source);
	        this.id = source["id"];
	        this.expected_revision = source["expected_revision"];
	        this.name = source["name"];
	        this.description = source["description"];
	        this.tint = source["tint"];
	        this.handle = source["handle"];
	        this.config = this.convertValues(source["config"], BotConfig);
	    }
	
		convertValues(a: any, classs: any, asMap: boolean = false): any {
		    if (!a) {
		        return a;
		    }
		    if (a.slice && a.map) {
		        return (a as any[]).map(elem => this.convertValues(elem, classs));
		    } else if ("object" === typeof a) {
		        if (asMap) {
		            for (const key of Object.keys(a)) {
		                a[key] = new classs(a[key]);
		            }
		            return a;
		        }
		        return new classs(a);
		    }
		    return a;
		}
	}
	
	export class ToolInfo {
	    name: string;
	    description: string;
	    read_only: boolean;
	
	    static createFrom(source: any = {}) {
	        return new ToolInfo(source);
	    }
	
	    constructor(source: any = {}) {
	        if ('string' === typeof source) source = JSON.parse(source);
	        this.name = source["name"];
	        this.description = source["description"];
	        this.read_only = source["read_only"];
	    }
	}
	export class CapabilityInfo {
	    id: string;
	    name: string;
	    description: string;
	    tools: ToolInfo[];
	
	    static createFrom(source: any = {}) {
	        return new CapabilityInfo(source);
	    }
	
	    constructor(source: any = {}) {
	        if ('string' === typeof source) source = JSON.parse(source);
	        this.id = source["id"];
	        this.name = source["name"];
	        this.description = source["description"];
	        this.tools = this.convertValues(source["tools"], ToolInfo);
	    }
	
		convertValues(a: any, classs: any, asMap: boolean = false): any {
		    if (!a) {
		        return a;
		    }
		    if (a.slice && a.map) {
		        return (a as any[]).map(elem => this.convertValues(elem, classs));
		    } else if ("object" === typeof a) {
		        if (asMap) {
		            for (const key of Object.keys(a)) {
		                a[key] = new classs(a[key]);
		            }
		            return a;
		        }
		        return new classs(a);
		    }
		    return a;
		}
	}
	export class Detected {
	    kind: string;
	    name: string;
	    base_url?: string;
	    source: string;
	    env_var?: string;
	    key_hint?: string;
	    models?: string[];
	
	    static createFrom(source: any = {}) {
	        return new Detected(source);
	    }
	
	    constructor(source: any = {}) {
	        if ('string' === typeof source) source = JSON.parse(source);
	        this.kind = source["kind"];
	        this.name = source["name"];
	        this.base_url = source["base_url"];
	        this.source = source["source"];
	        this.env_var = source["env_var"];
	        this.key_hint = source["key_hint"];
	        this.models = source["models"];
	    }
	}
	export class DoctorCheck {
	    id: string;
	    name: string;
	    status: string;
	    message: string;
	    next?: string;
	
	    static createFrom(source: any = {}) {
	        return new DoctorCheck(source);
	    }
	
	    constructor(source: any = {}) {
	        if ('string' === typeof source) source = JSON.parse(source);
	        this.id = source["id"];
	        this.name = source["name"];
	        this.status = source["status"];
	        this.message = source["message"];
	        this.next = source["next"];
	    }
	}
	export class DoctorReport {
	    at: number;
	    checks: DoctorCheck[];
	    text: string;
	
	    static createFrom(source: any = {}) {
	        return new DoctorReport(source);
	    }
	
	    constructor(source: any = {}) {
	        if ('string' === typeof source) source = JSON.parse(source);
	        this.at = source["at"];
	        this.checks = this.convertValues(source["checks"], DoctorCheck);
	        this.text = source["text"];
	    }
	
		convertValues(a: any, classs: any, asMap: boolean = false): any {
		    if (!a) {
		        return a;
		    }
		    if (a.slice && a.map) {
		        return (a as any[]).map(elem => this.convertValues(elem, classs));
		    } else if ("object" === typeof a) {
		        if (asMap) {
		            for (const key of Object.keys(a)) {
		                a[key] = new classs(a[key]);
		            }
		            return a;
		        }
		        return new classs(a);
		    }
		    return a;
		}
	}
	export class Notice {
	    code: string;
	    text: string;
	
	    static createFrom(source: any = {}) {
	        return new Notice(source);
	    }
	
	    constructor(source: any = {}) {
	        if ('string' === typeof source) source = JSON.parse(source);
	        this.code = source["code"];
	        this.text = source["text"];
	    }
	}
	export class QueuedMessage {
	    id: string;
	    message: Message;
	    at: number;
	
	    static createFrom(source: any = {}) {
	        return new QueuedMessage(source);
	    }
	
	    constructor(source: any = {}) {
	        if ('string' === typeof source) source = JSON.parse(source);
	        this.id = source["id"];
	        this.message = this.convertValues(source["message"], Message);
	        this.at = source["at"];
	    }
	
		convertValues(a: any, classs: any, asMap: boolean = false): any {
		    if (!a) {
		        return a;
		    }
		    if (a.slice && a.map) {
		        return (a as any[]).map(elem => this.convertValues(elem, classs));
		    } else if ("object" === typeof a) {
		        if (asMap) {
		            for (const key of Object.keys(a)) {
		                a[key] = new classs(a[key]);
		            }
		            return a;
		        }
		        return new classs(a);
		    }
		    return a;
		}
	}
	export class Rejection {
	    code: string;
	    message: string;
	    fatal: boolean;
	
	    static createFrom(source: any = {}) {
	        return new Rejection(source);
	    }
	
	    constructor(source: any = {}) {
	        if ('string' === typeof source) source = JSON.parse(source);
	        this.code = source["code"];
	        this.message = source["message"];
	        this.fatal = source["fatal"];
	    }
	}
	export class Outcome {
	    status: string;
	    error?: Rejection;
	    reason?: string;
	    usage: Usage;
	
	    static createFrom(source: any = {}) {
	        return new Outcome(source);
	    }
	
	    constructor(source: any = {}) {
	        if ('string' === typeof source) source = JSON.parse(source);
	        this.status = source["status"];
	        this.error = this.convertValues(source["error"], Rejection);
	        this.reason = source["reason"];
	        this.usage = this.convertValues(source["usage"], Usage);
	    }
	
		convertValues(a: any, classs: any, asMap: boolean = false): any {
		    if (!a) {
		        return a;
		    }
		    if (a.slice && a.map) {
		        return (a as any[]).map(elem => this.convertValues(elem, classs));
		    } else if ("object" === typeof a) {
		        if (asMap) {
		            for (const key of Object.keys(a)) {
		                a[key] = new classs(a[key]);
		            }
		            return a;
		        }
		        return new classs(a);
		    }
		    return a;
		}
	}
	export class ToolResult {
	    call_id: string;
	    name: string;
	    status: string;
	    output: string;
	    duration_ms?: number;
	
	    static createFrom(source: any = {}) {
	        return new ToolResult(source);
	    }
	
	    constructor(source: any = {}) {
	        if ('string' === typeof source) source = JSON.parse(source);
	        this.call_id = source["call_id"];
	        this.name = source["name"];
	        this.status = source["status"];
	        this.output = source["output"];
	        this.duration_ms = source["duration_ms"];
	    }
	}
	export class Usage {
	    input: number;
	    output: number;
	    cache_read: number;
	    cache_write: number;
	    reasoning?: number;
	    cost_micros: number;
	    context?: number;
	
	    static createFrom(source: any = {}) {
	        return new Usage(source);
	    }
	
	    constructor(source: any = {}) {
	        if ('string' === typeof source) source = JSON.parse(source);
	        this.input = source["input"];
	        this.output = source["output"];
	        this.cache_read = source["cache_read"];
	        this.cache_write = source["cache_write"];
	        this.reasoning = source["reasoning"];
	        this.cost_micros = source["cost_micros"];
	        this.context = source["context"];
	    }
	}
	export class Step {
	    index: number;
	    attempt?: number;
	    model?: string;
	    blocks: Block[];
	    finish?: string;
	    usage?: Usage;
	
	    static createFrom(source: any = {}) {
	        return new Step(source);
	    }
	
	    constructor(source: any = {}) {
	        if ('string' === typeof source) source = JSON.parse(source);
	        this.index = source["index"];
	        this.attempt = source["attempt"];
	        this.model = source["model"];
	        this.blocks = this.convertValues(source["blocks"], Block);
	        this.finish = source["finish"];
	        this.usage = this.convertValues(source["usage"], Usage);
	    }
	
		convertValues(a: any, classs: any, asMap: boolean = false): any {
		    if (!a) {
		        return a;
		    }
		    if (a.slice && a.map) {
		        return (a as any[]).map(elem => this.convertValues(elem, classs));
		    } else if ("object" === typeof a) {
		        if (asMap) {
		            for (const key of Object.keys(a)) {
		                a[key] = new classs(a[key]);
		            }
		            return a;
		        }
		        return new classs(a);
		    }
		    return a;
		}
	}
	export class Message {
	    id?: string;
	    author?: string;
	    text: string;
	    attachments?: string[];
	    requested_delivery?: string;
	    target_turn_id?: string;
	
	    static createFrom(source: any = {}) {
	        return new Message(source);
	    }
	
	    constructor(source: any = {}) {
	        if ('string' === typeof source) source = JSON.parse(source);
	        this.id = source["id"];
	        this.author = source["author"];
	        this.text = source["text"];
	        this.attachments = source["attachments"];
	        this.requested_delivery = source["requested_delivery"];
	        this.target_turn_id = source["target_turn_id"];
	    }
	}
	export class Event {
	    seq: number;
	    at: number;
	    kind: string;
	    turn_id?: string;
	    message?: Message;
	    step?: Step;
	    tool?: ToolResult;
	    outcome?: Outcome;
	    queue?: QueuedMessage[];
	    notice?: Notice;
	
	    static createFrom(source: any = {}) {
	        return new Event(source);
	    }
	
	    constructor(source: any = {}) {
	        if ('string' === typeof source) source = JSON.parse(source);
	        this.seq = source["seq"];
	        this.at = source["at"];
	        this.kind = source["kind"];
	        this.turn_id = source["turn_id"];
	        this.message = this.convertValues(source["message"], Message);
	        this.step = this.convertValues(source["step"], Step);
	        this.tool = this.convertValues(source["tool"], ToolResult);
	        this.outcome = this.convertValues(source["outcome"], Outcome);
	        this.queue = this.convertValues(source["queue"], QueuedMessage);
	        this.notice = this.convertValues(source["notice"], Notice);
	    }
	
		convertValues(a: any, classs: any, asMap: boolean = false): any {
		    if (!a) {
		        return a;
		    }
		    if (a.slice && a.map) {
		        return (a as any[]).map(elem => this.convertValues(elem, classs));
		    } else if ("object" === typeof a) {
		        if (asMap) {
		            for (const key of Object.keys(a)) {
		                a[key] = new classs(a[key]);
		            }
		            return a;
		        }
		        return new classs(a);
		    }
		    return a;
		}
	}
	export class EventPage {
	    events: Event[];
	    before: number;
	    last_seq: number;
	
	    static createFrom(source: any = {}) {
	        return new EventPage(source);
	    }
	
	    constructor(source: any = {}) {
	        if ('string' === typeof source) source = JSON.parse(source);
	        this.events = this.convertValues(source["events"], Event);
	        this.before = source["before"];
	        this.last_seq = source["last_seq"];
	    }
	
		convertValues(a: any, classs: any, asMap: boolean = false): any {
		    if (!a) {
		        return a;
		    }
		    if (a.slice && a.map) {
		        return (a as any[]).map(elem => this.convertValues(elem, classs));
		    } else if ("object" === typeof a) {
		        if (asMap) {
		            for (const key of Object.keys(a)) {
		                a[key] = new classs(a[key]);
		            }
		            return a;
		        }
		        return new classs(a);
		    }
		    return a;
		}
	}
	export class FileMatch {
	    path: string;
	    dir: boolean;
	
	    static createFrom(source: any = {}) {
	        return new FileMatch(source);
	    }
	
	    constructor(source: any = {}) {
	        if ('string' === typeof source) source = JSON.parse(source);
	        this.path = source["path"];
	        this.dir = source["dir"];
	    }
	}
	export class Folder {
	    name: string;
	    path: string;
	
	    static createFrom(source: any = {}) {
	        return new Folder(source);
	    }
	
	    constructor(source: any = {}) {
	        if ('string' === typeof source) source = JSON.parse(source);
	        this.name = source["name"];
	        this.path = source["path"];
	    }
	}
	export class FolderListing {
	    path: string;
	    parent?: string;
	    folders: Folder[];
	    truncated: boolean;
	
	    static createFrom(source: any = {}) {
	        return new FolderListing(source);
	    }
	
	    constructor(source: any = {}) {
	        if ('string' === typeof source) source = JSON.parse(source);
	        this.path = source["path"];
	        this.parent = source["parent"];
	        this.folders = this.convertValues(source["folders"], Folder);
	        this.truncated = source["truncated"];
	    }
	
		convertValues(a: any, classs: any, asMap: boolean = false): any {
		    if (!a) {
		        return a;
		    }
		    if (a.slice && a.map) {
		        return (a as any[]).map(elem => this.convertValues(elem, classs));
		    } else if ("object" === typeof a) {
		        if (asMap) {
		            for (const key of Object.keys(a)) {
		                a[key] = new classs(a[key]);
		            }
		            return a;
		        }
		        return new classs(a);
		    }
		    return a;
		}
	}
	export class HistoryRequest {
	    id: string;
	    before: number;
	    turns?: number;
	
	    static createFrom(source: any = {}) {
	        return new HistoryRequest(source);
	    }
	
	    constructor(source: any = {}) {
	        if ('string' === typeof source) source = JSON.parse(source);
	        this.id = source["id"];
	        this.before = source["before"];
	        this.turns = source["turns"];
	    }
	}
	export class Interrupt {
	    turn_id: string;
	
	    static createFrom(source: any = {}) {
	        return new Interrupt(source);
	    }
	
	    constructor(source: any = {}) {
	        if ('string' === typeof source) source = JSON.parse(source);
	        this.turn_id = source["turn_id"];
	    }
	}
	export class RetryNotice {
	    code: string;
	    message: string;
	    until: number;
	    attempt: number;
	
	    static createFrom(source: any = {}) {
	        return new RetryNotice(source);
	    }
	
	    constructor(source: any = {}) {
	        if ('string' === typeof source) source = JSON.parse(source);
	        this.code = source["code"];
	        this.message = source["message"];
	        this.until = source["until"];
	        this.attempt = source["attempt"];
	    }
	}
	export class Live {
	    turn_id: string;
	    step: number;
	    attempt: number;
	    n: number;
	    blocks: Block[];
	    running?: Block[];
	    retry?: RetryNotice;
	
	    static createFrom(source: any = {}) {
	        return new Live(source);
	    }
	
	    constructor(source: any = {}) {
	        if ('string' === typeof source) source = JSON.parse(source);
	        this.turn_id = source["turn_id"];
	        this.step = source["step"];
	        this.attempt = source["attempt"];
	        this.n = source["n"];
	        this.blocks = this.convertValues(source["blocks"], Block);
	        this.running = this.convertValues(source["running"], Block);
	        this.retry = this.convertValues(source["retry"], RetryNotice);
	    }
	
		convertValues(a: any, classs: any, asMap: boolean = false): any {
		    if (!a) {
		        return a;
		    }
		    if (a.slice && a.map) {
		        return (a as any[]).map(elem => this.convertValues(elem, classs));
		    } else if ("object" === typeof a) {
		        if (asMap) {
		            for (const key of Object.keys(a)) {
		                a[key] = new classs(a[key]);
		            }
		            return a;
		        }
		        return new classs(a);
		    }
		    return a;
		}
	}
	
	export class Prices {
	    input: number;
	    output: number;
	    cache_read: number;
	    cache_write: number;
	
	    static createFrom(source: any = {}) {
	        return new Prices(source);
	    }
	
	    constructor(source: any = {}) {
	        if ('string' === typeof source) source = JSON.parse(source);
	        this.input = source["input"];
	        this.output = source["output"];
	        this.cache_read = source["cache_read"];
	        this.cache_write = source["cache_write"];
	    }
	}
	export class Model {
	    id: string;
	    name: string;
	    context_window: number;
	    max_output: number;
	    reasoning: boolean;
	    efforts?: string[];
	    images: boolean;
	    tools: boolean;
	    prices?: Prices;
	    source: string;
	
	    static createFrom(source: any = {}) {
	        return new Model(source);
	    }
	
	    constructor(source: any = {}) {
	        if ('string' === typeof source) source = JSON.parse(source);
	        this.id = source["id"];
	        this.name = source["name"];
	        this.context_window = source["context_window"];
	        this.max_output = source["max_output"];
	        this.reasoning = source["reasoning"];
	        this.efforts = source["efforts"];
	        this.images = source["images"];
	        this.tools = source["tools"];
	        this.prices = this.convertValues(source["prices"], Prices);
	        this.source = source["source"];
	    }
	
		convertValues(a: any, classs: any, asMap: boolean = false): any {
		    if (!a) {
		        return a;
		    }
		    if (a.slice && a.map) {
		        return (a as any[]).map(elem => this.convertValues(elem, classs));
		    } else if ("object" === typeof a) {
		        if (asMap) {
		            for (const key of Object.keys(a)) {
		                a[key] = new classs(a[key]);
		            }
		            return a;
		        }
		        return new classs(a);
		    }
		    return a;
		}
	}
	
	export class OpenRequest {
	    id: string;
	    after?: number;
	    turns?: number;
	
	    static createFrom(source: any = {}) {
	        return new OpenRequest(source);
	    }
	
	    constructor(source: any = {}) {
	        if ('string' === typeof source) source = JSON.parse(source);
	        this.id = source["id"];
	        this.after = source["after"];
	        this.turns = source["turns"];
	    }
	}
	export class Session {
	    id: string;
	    bot_id: string;
	    title: string;
	    workspace: string;
	    pinned: boolean;
	    created_at: number;
	    updated_at: number;
	    deleted_at?: number;
	    last_seq: number;
	    activity: string;
	    last_outcome?: string;
	    last_message?: string;
	    queued: number;
	    totals: Usage;
	
	    static createFrom(source: any = {}) {
	        return new Session(source);
	    }
	
	    constructor(source: any = {}) {
	        if ('string' === typeof source) source = JSON.parse(source);
	        this.id = source["id"];
	        this.bot_id = source["bot_id"];
	        this.title = source["title"];
	        this.workspace = source["workspace"];
	        this.pinned = source["pinned"];
	        this.created_at = source["created_at"];
	        this.updated_at = source["updated_at"];
	        this.deleted_at = source["deleted_at"];
	        this.last_seq = source["last_seq"];
	        this.activity = source["activity"];
	        this.last_outcome = source["last_outcome"];
	        this.last_message = source["last_message"];
	        this.queued = source["queued"];
	        this.totals = this.convertValues(source["totals"], Usage);
	    }
	
		convertValues(a: any, classs: any, asMap: boolean = false): any {
		    if (!a) {
		        return a;
		    }
		    if (a.slice && a.map) {
		        return (a as any[]).map(elem => this.convertValues(elem, classs));
		    } else if ("object" === typeof a) {
		        if (asMap) {
		            for (const key of Object.keys(a)) {
		                a[key] = new classs(a[key]);
		            }
		            return a;
		        }
		        return new classs(a);
		    }
		    return a;
		}
	}
	export class OpenSession {
	    session: Session;
	    page: EventPage;
	    queue: QueuedMessage[];
	    live?: Live;
	
	    static createFrom(source: any = {}) {
	        return new OpenSession(source);
	    }
	
	    constructor(source: any = {}) {
	        if ('string' === typeof source) source = JSON.parse(source);
	        this.session = this.convertValues(source["session"], Session);
	        this.page = this.convertValues(source["page"], EventPage);
	        this.queue = this.convertValues(source["queue"], QueuedMessage);
	        this.live = this.convertValues(source["live"], Live);
	    }
	
		convertValues(a: any, classs: any, asMap: boolean = false): any {
		    if (!a) {
		        return a;
		    }
		    if (a.slice && a.map) {
		        return (a as any[]).map(elem => this.convertValues(elem, classs));
		    } else if ("object" === typeof a) {
		        if (asMap) {
		            for (const key of Object.keys(a)) {
		                a[key] = new classs(a[key]);
		            }
		            return a;
		        }
		        return new classs(a);
		    }
		    return a;
		}
	}
	
	
	
	export class ProviderDraft {
	    id?: string;
	    kind: string;
	    name: string;
	    base_url?: string;
	    key?: string;
	
	    static createFrom(source: any = {}) {
	        return new ProviderDraft(source);
	    }
	
	    constructor(source: any = {}) {
	        if ('string' === typeof source) source = JSON.parse(source);
	        this.id = source["id"];
	        this.kind = source["kind"];
	        this.name = source["name"];
	        this.base_url = source["base_url"];
	        this.key = source["key"];
	    }
	}
	export class ProviderInstance {
	    id: string;
	    kind: string;
	    name: string;
	    base_url: string;
	    has_key: boolean;
	    key_hint?: string;
	    created_at: number;
	    updated_at: number;
	
	    static createFrom(source: any = {}) {
	        return new ProviderInstance(source);
	    }
	
	    constructor(source: any = {}) {
	        if ('string' === typeof source) source = JSON.parse(source);
	        this.id = source["id"];
	        this.kind = source["kind"];
	        this.name = source["name"];
	        this.base_url = source["base_url"];
	        this.has_key = source["has_key"];
	        this.key_hint = source["key_hint"];
	        this.created_at = source["created_at"];
	        this.updated_at = source["updated_at"];
	    }
	}
	export class ProviderKind {
	    id: string;
	    name: string;
	    protocol: string;
	    base_url: string;
	    needs_key: boolean;
	    local: boolean;
	    key_url?: string;
	    key_env?: string;
	    description?: string;
	
	    static createFrom(source: any = {}) {
	        return new ProviderKind(source);
	    }
	
	    constructor(source: any = {}) {
	        if ('string' === typeof source) source = JSON.parse(source);
	        this.id = source["id"];
	        this.name = source["name"];
	        this.protocol = source["protocol"];
	        this.base_url = source["base_url"];
	        this.needs_key = source["needs_key"];
	        this.local = source["local"];
	        this.key_url = source["key_url"];
	        this.key_env = source["key_env"];
	        this.description = source["description"];
	    }
	}
	export class ProviderList {
	    revision: number;
	    providers: ProviderInstance[];
	
	    static createFrom(source: any = {}) {
	        return new ProviderList(source);
	    }
	
	    constructor(source: any = {}) {
	        if ('string' === typeof source) source = JSON.parse(source);
	        this.revision = source["revision"];
	        this.providers = this.convertValues(source["providers"], ProviderInstance);
	    }
	
		convertValues(a: any, classs: any, asMap: boolean = false): any {
		    if (!a) {
		        return a;
		    }
		    if (a.slice && a.map) {
		        return (a as any[]).map(elem => this.convertValues(elem, classs));
		    } else if ("object" === typeof a) {
		        if (asMap) {
		            for (const key of Object.keys(a)) {
		                a[key] = new classs(a[key]);
		            }
		            return a;
		        }
		        return new classs(a);
		    }
		    return a;
		}
	}
	export class ProviderTest {
	    ok: boolean;
	    code?: string;
	    message: string;
	    models: number;
	    latency_ms: number;
	
	    static createFrom(source: any = {}) {
	        return new ProviderTest(source);
	    }
	
	    constructor(source: any = {}) {
	        if ('string' === typeof source) source = JSON.parse(source);
	        this.ok = source["ok"];
	        this.code = source["code"];
	        this.message = source["message"];
	        this.models = source["models"];
	        this.latency_ms = source["latency_ms"];
	    }
	}
	export class QueueEdit {
	    message_id: string;
	    text: string;
	
	    static createFrom(source: any = {}) {
	        return new QueueEdit(source);
	    }
	
	    constructor(source: any = {}) {
	        if ('string' === typeof source) source = JSON.parse(source);
	        this.message_id = source["message_id"];
	        this.text = source["text"];
	    }
	}
	export class QueueMove {
	    message_id: string;
	    before?: string;
	
	    static createFrom(source: any = {}) {
	        return new QueueMove(source);
	    }
	
	    constructor(source: any = {}) {
	        if ('string' === typeof source) source = JSON.parse(source);
	        this.message_id = source["message_id"];
	        this.before = source["before"];
	    }
	}
	export class QueueRemove {
	    message_id: string;
	
	    static createFrom(source: any = {}) {
	        return new QueueRemove(source);
	    }
	
	    constructor(source: any = {}) {
	        if ('string' === typeof source) source = JSON.parse(source);
	        this.message_id = source["message_id"];
	    }
	}
	
	
	export class RescueResult {
	    kept_as: string;
	    rows: number;
	    lost: number;
	
	    static createFrom(source: any = {}) {
	        return new RescueResult(source);
	    }
	
	    constructor(source: any = {}) {
	        if ('string' === typeof source) source = JSON.parse(source);
	        this.kept_as = source["kept_as"];
	        this.rows = source["rows"];
	        this.lost = source["lost"];
	    }
	}
	export class RescueStatus {
	    needed: boolean;
	    reason?: Rejection;
	    backups: BackupFile[];
	
	    static createFrom(source: any = {}) {
	        return new RescueStatus(source);
	    }
	
	    constructor(source: any = {}) {
	        if ('string' === typeof source) source = JSON.parse(source);
	        this.needed = source["needed"];
	        this.reason = this.convertValues(source["reason"], Rejection);
	        this.backups = this.convertValues(source["backups"], BackupFile);
	    }
	
		convertValues(a: any, classs: any, asMap: boolean = false): any {
		    if (!a) {
		        return a;
		    }
		    if (a.slice && a.map) {
		        return (a as any[]).map(elem => this.convertValues(elem, classs));
		    } else if ("object" === typeof a) {
		        if (asMap) {
		            for (const key of Object.keys(a)) {
		                a[key] = new classs(a[key]);
		            }
		            return a;
		        }
		        return new classs(a);
		    }
		    return a;
		}
	}
	
	
	export class SessionDraft {
	    bot_id: string;
	    workspace?: string;
	
	    static createFrom(source: any = {}) {
	        return new SessionDraft(source);
	    }
	
	    constructor(source: any = {}) {
	        if ('string' === typeof source) source = JSON.parse(source);
	        this.bot_id = source["bot_id"];
	        this.workspace = source["workspace"];
	    }
	}
	export class SessionPage {
	    revision: number;
	    sessions: Session[];
	    next?: string;
	    total: number;
	
	    static createFrom(source: any = {}) {
	        return new SessionPage(source);
	    }
	
	    constructor(source: any = {}) {
	        if ('string' === typeof source) source = JSON.parse(source);
	        this.revision = source["revision"];
	        this.sessions = this.convertValues(source["sessions"], Session);
	        this.next = source["next"];
	        this.total = source["total"];
	    }
	
		convertValues(a: any, classs: any, asMap: boolean = false): any {
		    if (!a) {
		        return a;
		    }
		    if (a.slice && a.map) {
		        return (a as any[]).map(elem => this.convertValues(elem, classs));
		    } else if ("object" === typeof a) {
		        if (asMap) {
		            for (const key of Object.keys(a)) {
		                a[key] = new classs(a[key]);
		            }
		            return a;
		        }
		        return new classs(a);
		    }
		    return a;
		}
	}
	export class SessionQuery {
	    bot_id?: string;
	    workspace?: string;
	    text?: string;
	    trash?: boolean;
	    cursor?: string;
	    limit?: number;
	
	    static createFrom(source: any = {}) {
	        return new SessionQuery(source);
	    }
	
	    constructor(source: any = {}) {
	        if ('string' === typeof source) source = JSON.parse(source);
	        this.bot_id = source["bot_id"];
	        this.workspace = source["workspace"];
	        this.text = source["text"];
	        this.trash = source["trash"];
	        this.cursor = source["cursor"];
	        this.limit = source["limit"];
	    }
	}
	export class Settings {
	    revision: number;
	    theme: string;
	    language: string;
	    send_key: string;
	    font_size: number;
	    reduced_motion: boolean;
	    default_folder: string;
	    setup_done: boolean;
	    default_bot_id: string;
	    title_model_auto: boolean;
	
	    static createFrom(source: any = {}) {
	        return new Settings(source);
	    }
	
	    constructor(source: any = {}) {
	        if ('string' === typeof source) source = JSON.parse(source);
	        this.revision = source["revision"];
	        this.theme = source["theme"];
	        this.language = source["language"];
	        this.send_key = source["send_key"];
	        this.font_size = source["font_size"];
	        this.reduced_motion = source["reduced_motion"];
	        this.default_folder = source["default_folder"];
	        this.setup_done = source["setup_done"];
	        this.default_bot_id = source["default_bot_id"];
	        this.title_model_auto = source["title_model_auto"];
	    }
	}
	
	export class Submission {
	    session_id: string;
	    id: string;
	    message?: Message;
	    interrupt?: Interrupt;
	    queue_edit?: QueueEdit;
	    queue_remove?: QueueRemove;
	    queue_move?: QueueMove;
	
	    static createFrom(source: any = {}) {
	        return new Submission(source);
	    }
	
	    constructor(source: any = {}) {
	        if ('string' === typeof source) source = JSON.parse(source);
	        this.session_id = source["session_id"];
	        this.id = source["id"];
	        this.message = this.convertValues(source["message"], Message);
	        this.interrupt = this.convertValues(source["interrupt"], Interrupt);
	        this.queue_edit = this.convertValues(source["queue_edit"], QueueEdit);
	        this.queue_remove = this.convertValues(source["queue_remove"], QueueRemove);
	        this.queue_move = this.convertValues(source["queue_move"], QueueMove);
	    }
	
		convertValues(a: any, classs: any, asMap: boolean = false): any {
		    if (!a) {
		        return a;
		    }
		    if (a.slice && a.map) {
		        return (a as any[]).map(elem => this.convertValues(elem, classs));
		    } else if ("object" === typeof a) {
		        if (asMap) {
		            for (const key of Object.keys(a)) {
		                a[key] = new classs(a[key]);
		            }
		            return a;
		        }
		        return new classs(a);
		    }
		    return a;
		}
	}
	export class SystemInfo {
	    version: string;
	    shell: string;
	    state_dir: string;
	    os: string;
	    key_store: string;
	    home: string;
	
	    static createFrom(source: any = {}) {
	        return new SystemInfo(source);
	    }
	
	    constructor(source: any = {}) {
	        if ('string' === typeof source) source = JSON.parse(source);
	        this.version = source["version"];
	        this.shell = source["shell"];
	        this.state_dir = source["state_dir"];
	        this.os = source["os"];
	        this.key_store = source["key_store"];
	        this.home = source["home"];
	    }
	}
	
	
	
	export class WorkspaceInfo {
	    path: string;
	    name: string;
	    branch?: string;
	    exists: boolean;
	
	    static createFrom(source: any = {}) {
	        return new WorkspaceInfo(source);
	    }
	
	    constructor(source: any = {}) {
	        if ('string' === typeof source) source = JSON.parse(source);
	        this.path = source["path"];
	        this.name = source["name"];
	        this.branch = source["branch"];
	        this.exists = source["exists"];
	    }
	}

}

