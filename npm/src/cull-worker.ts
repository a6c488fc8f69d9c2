import { load } from "./cull-engine.js";
import { serve } from "./worker.js";

serve(() => load());
