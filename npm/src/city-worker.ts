import { load } from "./city-engine.js";
import { serve } from "./worker.js";

serve(() => load());
