// All that a tab answers; their modules are many, so they come after the page is seen.

import { Router } from "./router.js";
import { routes as explain } from "./routes-explain.js";
import { routes as labs } from "./routes-labs.js";
import { routes as models } from "./routes-models.js";
import { routes as space } from "./routes-space.js";
import { routes as use } from "./routes-use.js";
import { routes as whatIf } from "./routes-what-if.js";

export const router = new Router(models, use, explain, whatIf, space, labs);
