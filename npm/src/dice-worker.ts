import { load } from "./dice-engine.js";
import { serve } from "./worker.js";

serve(() => load());
