import { load } from "./direct-engine.js";
import { serve } from "./worker.js";

serve(() => load());
