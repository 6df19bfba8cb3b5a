// YAMLConfiguration: from the owner's file to the values that the core is started with.
//
// For:        reading YAML, the sections of the configuration and those of HowAlarming of 2016, and the box's network.
// Guarantees: a configuration is used only if nothing in it is wrong; every problem in it is named with its place and the
//             nearest known key, and no secret appears in a problem.
// Knows not:  where the file lies, who reads it, what the values do.
